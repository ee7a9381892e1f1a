"""The torture list: every program by theme, and what its trace must hold."""


class Expected:
    """How often `beat` is called, in all processes that are recorded. `least`: more may be. `script`: a shell's words
    instead of the program itself, which is $0."""

    def __init__(self, beats=200, least=None, script=None):
        self.beats, self.least, self.script = beats, least, script

    def is_script(self):
        return self.script is not None

    def command(self, program, name):
        return ["bash", "-c", self.script, program] if self.script else [program, name]

    def check_beats(self, test, seen):
        if self.least is not None:
            test.assertGreaterEqual(seen, self.least, "calls of beat")
        else:
            test.assertEqual(seen, self.beats, "calls of beat")


def exactly(beats, names):
    return {name: Expected(beats) for name in names.split()}


def at_least(beats, names):
    return {name: Expected(least=beats) for name in names.split()}


def known(reason, theme, names):
    return {(theme, name): reason for name in names.split()}


THEMES = {
    "descriptors": {
        **exactly(200, "dup2_to_700 dup2_to_all end_of_pipe f_dupfd close_in_a_loop close_by_range close_from"
                " close_by_system_call close_unshared close_the_standard_ones count_in_proc count_open count_by_poll"
                " count_in_child lowest_in_a_thread unshared_table pass_over_socket limit_of_4 limit_of_0 all_taken"
                " select_at_the_end record_locks folder_is_gone epoll_and_memory_files"),
        "count_after_exec": Expected(300),
        "exec_with_limit_of_4": Expected(300),
        "log_of_a_shell": Expected(0, script="exec 700>>log; echo first >&700; for ((i = 0; i < 20000; i++)); do"
                                             " x=${x:0:50}$((i * 7919 % 1013)); y=${x//1/a}; done; echo last >&700;"
                                             " exec 700>&-; cat log"),
        "closed_by_a_shell": Expected(200, script='for ((n = 3; n < 800; n++)); do eval "exec $n>&-"; done;'
                                                  ' exec "$0" count_in_proc'),
    },
    "limits": {
        **exactly(100, "core_0_and_abort"),
        **exactly(200, "little_locked no_more_processes"),
        **exactly(300, "nothing_special file_size_0 address_space_100_mb data_100_mb all_locked no_pending_signals some_depth"
                       " stack_of_100_kb mappings_are_used_up"),
        **exactly(302, "file_size_handled"),
        **exactly(400, "exec_with_file_size_0 exec_with_address_space_100_mb exec_with_data_100_mb"
                       " exec_with_stack_of_64_kb exec_with_unlimited_stack"),
        **exactly(1200, "address_space_is_full"),
        **at_least(100, "exec_with_address_space_20_mb processor_time"),
    },
    "filters": {
        **exactly(100, "strict_by_seccomp killed_by_its_own_call"),
        **exactly(200, "strict killing_by_prctl killing_by_seccomp killing_by_system_call killing_by_instruction"
                       " refusing_all without_a_tracer no_new_executable_memory_or_death"),
        **exactly(201, "trapping"),
        **exactly(300, "killing_a_thread no_new_executable_memory"),
        **exactly(500, "threads_afterwards threads_beforehand"),
        # The child, and what is executed, may go unrecorded.
        **at_least(200, "inherited_by_a_child"),
        **at_least(100, "inherited_by_exec_refusing inherited_by_exec_killing write_or_execute write_or_execute_or_death"),
    },
    "users": {
        **exactly(300, "user_of_a_thread"),
        **exactly(500, "no_capabilities not_dumpable no_proc"),
        **exactly(520, "to_and_fro"),
        **exactly(600, "no_new_privileges exec_without_proc process_namespace fixed_addresses"),
        **exactly(700, "exec_in_process_namespace"),
        **exactly(800, "masks other_namespaces"),
        # Where the run directory cannot be written, new processes go unrecorded.
        **at_least(100, "set_user_and_exec unreadable"),
        **at_least(200, "child_in_namespaces"),
        **at_least(300, "set_user nobody_and_not_dumpable other_root other_root_and_user pivot no_temporary_files"
                        " read_only_system user_namespace"),
    },
}

# Defects that are known, with their reason: expected to fail, and an error when they pass, so that they go from here.
PENDING = {
    **known("a descriptor is kept open", "descriptors",
            "dup2_to_700 dup2_to_all end_of_pipe f_dupfd close_in_a_loop close_by_range close_by_system_call close_from"
            " close_unshared count_in_proc count_open count_by_poll count_after_exec count_in_child unshared_table"
            " exec_with_limit_of_4 log_of_a_shell closed_by_a_shell"),
    **known("room is allocated by calls that the limit forbids", "limits",
            "file_size_0 file_size_handled exec_with_file_size_0 little_locked"),
    **known("address space is reserved that counts", "limits",
            "address_space_100_mb data_100_mb exec_with_address_space_100_mb exec_with_address_space_20_mb"
            " exec_with_data_100_mb"),
    **known("system calls are made that the filter forbids", "filters",
            "strict strict_by_seccomp killing_by_prctl killing_by_seccomp killing_by_system_call killing_by_instruction"
            " killed_by_its_own_call refusing_all trapping threads_beforehand threads_afterwards inherited_by_a_child"
            " inherited_by_exec_killing write_or_execute_or_death"),
    **known("a child that the C library's fork did not make records into its parent's file", "users",
            "child_in_namespaces"),
    **known("nothing is recorded where there is no /proc at the start", "users", "exec_without_proc"),
}

# What docs/limits.md says.
LIMITS = {
}
