/**
 * The subcommands: each takes its own name as argv[0], prints, and returns the
 * exit status.
 */
#ifndef DT_COMMANDS_COMMANDS_H
#define DT_COMMANDS_COMMANDS_H

int dt_cmd_agent(int argc, char **argv);
int dt_cmd_collect(int argc, char **argv);
int dt_cmd_compare(int argc, char **argv);
int dt_cmd_dendrogram(int argc, char **argv);
int dt_cmd_diffnlr(int argc, char **argv);
int dt_cmd_dump(int argc, char **argv);
int dt_cmd_go(int argc, char **argv);
int dt_cmd_import(int argc, char **argv);
int dt_cmd_check(int argc, char **argv);
int dt_cmd_coverage(int argc, char **argv);
int dt_cmd_extrapolate(int argc, char **argv);
int dt_cmd_export(int argc, char **argv);
int dt_cmd_info(int argc, char **argv);
int dt_cmd_jsm(int argc, char **argv);
int dt_cmd_lattice(int argc, char **argv);
int dt_cmd_lines(int argc, char **argv);
int dt_cmd_generate(int argc, char **argv);
int dt_cmd_simulate(int argc, char **argv);
int dt_cmd_minimise(int argc, char **argv);
int dt_cmd_skeleton(int argc, char **argv);
int dt_cmd_nlr(int argc, char **argv);
int dt_cmd_pack(int argc, char **argv);
int dt_cmd_rank(int argc, char **argv);
int dt_cmd_replay(int argc, char **argv);
int dt_cmd_report(int argc, char **argv);
int dt_cmd_stack(int argc, char **argv);
int dt_cmd_waits(int argc, char **argv);
int dt_cmd_watch(int argc, char **argv);
int dt_cmd_stats(int argc, char **argv);
int dt_cmd_times(int argc, char **argv);
int dt_cmd_tui(int argc, char **argv);
int dt_cmd_unpack(int argc, char **argv);

#endif
