"""The parts programs and peers of bench/tracer: what programs take, traced to untraced.

Results are {part: {program: {"group": ..., "rounds": [{variant: measured}]}}}, variants being "untraced", our modes and other
tools, and what is measured seconds ("cpu", "wall") and, of our modes, "events" and "bytes"; or "failed", with the reason.
"""
import json
import math
import os
import random
import shutil
import statistics
import sys

import tracer_inputs
from tracer_runs import Failed, say, table

MODES = ["main", "app", "all"]
STUDENT_T = [0, 12.71, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131]
TOOLS = {"uftrace": ["uftrace", "record", "-P", ".", "--no-libcall", "-d", "uftrace.data"],
         "callgrind": ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]}
CONTROL = "untraced again"
OTHER = ", other build"
FEWEST_DRAWN, DRAWS = 5, 4000  # rounds, of the bootstrap
GROUPS = {"science": "scientific and MPI programs", "examples": "our examples, compiled without inlining",
          "others": "others that call all the time"}
EXTRA = "programs that are not packaged"


# ---- measuring ---------------------------------------------------------------------------------

def choose_programs(bench):
    found = tracer_inputs.programs(bench.work, bench.build)
    if bench.options.extra:
        for name, one in json.loads(bench.options.extra.read_text()).items():
            found[name] = {"needs": one["long"][0], **one, "group": "extra"}
    only = bench.options.program
    return {name: one for name, one in found.items() if shutil.which(one["needs"]) and (not only or name in only)}


def measure(bench, program, command, variant):
    """What one run takes."""
    launcher = program.get("launcher", [])
    try:
        if variant in MODES:
            _, wall, cpu = bench.traced(launcher + command, variant)
            info = bench.info()
            return {"cpu": cpu, "wall": wall, "events": info["events"], "bytes": info["bytes"]}
        recorded = bench.work / "uftrace.data"
        shutil.rmtree(recorded, ignore_errors=True)
        _, wall, cpu = bench.run(launcher + TOOLS.get(variant, []) + command)
        # uftrace has 16 bytes for an entry and for a return.
        events = sum(file.stat().st_size for file in recorded.glob("*.dat")) // 16
        return {"cpu": cpu, "wall": wall, **({"events": events} if variant == "uftrace" else {})}
    except Failed as error:
        print(error, file=sys.stderr)
        return {"failed": str(error)}


def measure_together(bench, program, command, variants):
    """The same of all variants at once, and of another untraced run, which shows what is not the tracer's doing. Without wall
    times: each run waits for the others."""
    command = program.get("launcher", []) + command
    commands = {}
    for variant in [*variants, CONTROL]:
        mode, build = (variant[:-len(OTHER)], bench.options.beside) if variant.endswith(OTHER) else (variant, bench.build)
        output = bench.work / "together" / f"run-{variant}"
        shutil.rmtree(output, ignore_errors=True)
        commands[variant] = bench.under_difftrace(command, mode, output=output, build=build) if mode in MODES else command
    try:
        others = {variant: bench.with_plans_of_other_build() for variant in variants if variant.endswith(OTHER)}
        done = bench.together(commands, bench.options.together, others)
        measured = {variant: {"cpu": cpu} for variant, (cpu, _) in done.items()}
        for variant in set(variants) - {"untraced"}:
            info = bench.info(bench.work / "together" / f"run-{variant}")
            measured[variant].update(events=info["events"], bytes=info["bytes"])
        return {variant: measured[variant] for variant in commands}
    except Failed as error:
        print(error, file=sys.stderr)
        return {variant: {"failed": str(error)} for variant in commands}


def untraced(measured, seconds="cpu"):
    """What a round's untraced run takes; if there are two, their mean."""
    runs = [measured[variant][seconds] for variant in ("untraced", CONTROL) if variant in measured]
    return statistics.fmean(runs)


def ratio(measured, variant, seconds="cpu"):
    """Of one round, to the untraced runs, of the control to the other one; None if there is none."""
    try:
        return measured[variant][seconds] / (measured["untraced"][seconds] if variant == CONTROL else untraced(measured, seconds))
    except KeyError:
        return None


def tell_progress(name, number, measured):
    ratios = " ".join(f"{variant} {ratio(measured, variant) or math.nan:.3f}" for variant in measured if variant != "untraced")
    print(f"round {number + 1}, {name}: {measured['untraced'].get('cpu', math.nan):.1f} s, {ratios}", file=sys.stderr, flush=True)


def keep(path, results):
    """The file is whole at any moment."""
    if path:
        path.with_suffix(".new").write_text(json.dumps(results, indent=1))
        os.replace(path.with_suffix(".new"), path)


def warm_up(bench, program):
    """Plans of its images get into the cache, once a program."""
    if not program.setdefault("warm", False):
        bench.use(program, "short")
        for mode in ("main", "all"):  # those of app are among theirs
            measure(bench, program, program["short"], mode)
            if bench.options.beside:
                command = bench.under_difftrace(program.get("launcher", []) + program["short"], mode, build=bench.options.beside)
                shutil.rmtree(bench.run_directory, ignore_errors=True)
                bench.run(command, bench.with_plans_of_other_build())
        program["warm"] = True


def measure_in_turn(bench, program, command, variants, number):
    # callgrind takes tens of times as long: once.
    now = [variant for variant in variants if variant != "callgrind" or number == 0]
    # There and back again, so that none is always the first of them.
    order = now if number % 2 == 0 else now[::-1]
    done = {variant: measure(bench, program, command, variant) for variant in order}
    return {variant: done[variant] for variant in now}


def measure_rounds(bench, part, length, variants):
    """Round by round, program by program, what the file of results does not hold yet. Returns this part's results."""
    path = bench.options.json
    results = json.loads(path.read_text()) if path and path.exists() else {}
    measured = results.setdefault(part, {})
    programs = choose_programs(bench)
    for number in range(bench.rounds):
        for name, program in programs.items():
            rounds = measured.setdefault(name, {"group": program["group"], "rounds": []})["rounds"]
            if len(rounds) > number:
                continue
            warm_up(bench, program)
            bench.use(program, length)
            if part == "programs" and bench.options.together is not None:
                rounds.append(measure_together(bench, program, program[length], variants))
            else:
                rounds.append(measure_in_turn(bench, program, program[length], variants, number))
            keep(path, results)
            tell_progress(name, number, rounds[-1])
    return measured


# ---- tables ------------------------------------------------------------------------------------

def with_bounds(mean, half, digits):
    """Of logarithms, as text."""
    return f"{math.exp(mean):.{digits}f} ({math.exp(mean - half):.{digits}f} to {math.exp(mean + half):.{digits}f})"


def student(freedom):
    return STUDENT_T[min(freedom, len(STUDENT_T) - 1)]


def interval(ratios, digits=2):
    """Geometric mean and 95 % confidence interval, as text."""
    if not ratios or None in ratios:
        return "failed"
    logs = [math.log(one) for one in ratios]
    mean = statistics.fmean(logs)
    if len(logs) < 2:
        return f"{math.exp(mean):.{digits}f}"
    return with_bounds(mean, student(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs)), digits)


def ratios_of(one, variant, seconds):
    return [ratio(measured, variant, seconds) for measured in one["rounds"] if variant in measured]


def geometric_mean(numbers):
    return math.exp(statistics.fmean(map(math.log, numbers)))


def means(programs, variant, seconds):
    """The geometric mean over programs, of each round that all have."""
    columns = [ratios_of(one, variant, seconds) for one in programs]
    return [geometric_mean(row) for row in zip(*columns)]


def interval_by_scatter(programs, variant):
    """The mean over programs, its interval from how the rounds of each scatter, pooled: that takes the programs' noise for
    independent, but tells much where rounds are few."""
    columns = [[math.log(one) for one in ratios_of(program, variant, "cpu")] for program in programs]
    centres = [statistics.fmean(column) for column in columns]
    freedom = sum(len(column) - 1 for column in columns)
    if freedom == 0:
        return f"{math.exp(statistics.fmean(centres)):.3f}"
    squares = sum((one - centre) ** 2 for column, centre in zip(columns, centres) for one in column)
    error = math.sqrt(squares / freedom * sum(1 / len(column) for column in columns)) / len(columns)
    return with_bounds(statistics.fmean(centres), student(freedom) * error, 3)


def interval_of_medians(programs, variant):
    """The geometric mean of the programs' median ratios, which a disturbed run does not move; its interval by the bootstrap:
    what 95 of 100 draws of as many whole rounds, some of them twice, have."""
    columns = [ratios_of(one, variant, "cpu") for one in programs]
    rounds = min(map(len, columns))
    mean = geometric_mean(map(statistics.median, columns))
    if rounds < FEWEST_DRAWN:
        return f"{mean:.3f}"
    draw, means_drawn = random.Random(1), []
    for _ in range(DRAWS):
        chosen = draw.choices(range(rounds), k=rounds)
        means_drawn.append(geometric_mean(statistics.median(column[i] for i in chosen) for column in columns))
    means_drawn.sort()
    low, high = means_drawn[DRAWS // 40], means_drawn[-1 - DRAWS // 40]
    return f"{mean:.3f} ({low:.3f} to {high:.3f})"


def least(one, variant):
    return min(untraced(measured) if variant == "untraced" else measured[variant]["cpu"]
               for measured in one["rounds"] if variant in measured)


def whole(programs, variants):
    """Those where nothing failed."""
    return [one for one in programs if all(None not in ratios_of(one, variant, "cpu") for variant in variants)]


def median_of(one, function):
    """Median over the rounds, of those where nothing failed."""
    values = []
    for measured in one["rounds"]:
        try:
            values.append(function(measured))
        except (KeyError, ZeroDivisionError):
            pass
    return statistics.median(values) if values else math.nan


def calls_cells(one, mode):
    """Million calls in an untraced second, and what a call adds in ns."""
    rate = median_of(one, lambda measured: measured[mode]["events"] / 2 / untraced(measured) / 1e6)
    added = median_of(one, lambda measured: (measured[mode]["cpu"] - untraced(measured)) / measured[mode]["events"] * 2e9)
    return [f"{rate:.2f}", f"{added:.1f}" if rate >= 1 else "-"]


def program_row(name, one, variants, seconds, cells):
    row = [name, f"{median_of(one, lambda measured: untraced(measured, seconds)):.2f}"]
    for variant in variants:
        row += [interval(ratios_of(one, variant, seconds)), *(cells(one, variant) if cells else [])]
    return row


def mean_row(title, programs, variants, seconds, cells):
    row = [f"**geometric mean: {title}** ({len(programs)})", ""]
    for variant in variants:
        row += [f"**{interval(means(programs, variant, seconds))}**", *(["", ""] if cells else [])]
    return row


def ratio_table(title, groups, results, variants, seconds="cpu", cells=None):
    """Programs by group, the mean of each, of all groups but the last, and of all."""
    head, rows, inside = [title, f"untraced, {seconds} s"], [], []
    for variant in variants:
        head += [variant, *(["Mcalls/s", "ns a call"] if cells else [])]
    for group, name_of_group in groups.items():
        members = {name: one for name, one in results.items() if one["group"] == group and one["rounds"]}
        rows += [program_row(name, one, variants, seconds, cells) for name, one in members.items()]
        inside.append((name_of_group, whole(members.values(), variants)))
        rows += [mean_row(*inside[-1], variants, seconds, cells)] if inside[-1][1] else []
    if len(groups) > 1:
        for last, name in ((-1, "all without the others"), (None, "all")):
            counted = [one for _, members in inside[:last] for one in members]
            rows += [mean_row(name, counted, variants, seconds, cells)] if counted else []
    if rows:
        table(head, rows)


def summary_table(results, modes):
    """What a mean over all programs would be, by what it is of."""
    programs = whole([one for one in results.values() if one["rounds"]], modes)
    if not programs:
        return
    leasts = []
    for mode in modes:
        ratios = [least(one, mode) / least(one, "untraced") for one in programs]
        leasts.append(f"{geometric_mean(ratios):.3f}")
    table([f"Processor time: geometric mean of all {len(programs)} programs", *modes],
          [["of each round's ratios", *(interval(means(programs, mode, "cpu"), 3) for mode in modes)],
           ["of all ratios, the interval from each program's scatter", *(interval_by_scatter(programs, mode) for mode in modes)],
           ["of the programs' median ratios, the interval by the bootstrap", *(interval_of_medians(programs, mode) for mode in modes)],
           ["of the ratios of the programs' least times", *leasts]])


def recorded_table(results, modes):
    rows = []
    for name, one in results.items():
        row = [name]
        for mode in modes:
            row += [f"{median_of(one, lambda measured, mode=mode: measured[mode]['events']) / 1e6:.1f}",
                    f"{median_of(one, lambda measured, mode=mode: measured[mode]['bytes'] / measured[mode]['events']):.4f}",
                    f"{median_of(one, lambda measured, mode=mode: measured[mode]['bytes'] / measured[mode]['cpu']) / 1e3:.1f}"]
        rows.append(row)
    head = [text for mode in modes for text in (f"{mode}: million events", "bytes an event", "kB a CPU second")]
    table(["What was recorded", *head], rows)


def bench_programs(bench):
    modes = bench.options.mode or MODES
    if bench.options.beside:
        modes = [variant for mode in modes for variant in (mode, mode + OTHER)]
    results = measure_rounds(bench, "programs", "long", ["untraced", *modes])
    rounds = max((len(one["rounds"]) for one in results.values()), default=0)
    say(f"## Programs: traced to untraced, {rounds} rounds\n")
    say("Mcalls/s: million calls recorded, by seconds of the untraced run; ns a call: what one adds (from 1 Mcalls/s up).\n")
    for groups in (GROUPS, {"extra": EXTRA}):
        ratio_table("Processor time", groups, results, modes, cells=calls_cells)
    if bench.options.together is None:
        summary_table(results, modes)
        for groups in (GROUPS, {"extra": EXTRA}):
            ratio_table("Wall time", groups, results, modes, seconds="wall")
    else:
        summary_table(results, [*modes, CONTROL])
    recorded_table(results, modes)


def calls_table(results, variants):
    """What each recorded, and what a call cost."""
    rows = []
    for name, one in results.items():
        row = [name]
        for variant in variants:
            calls = median_of(one, lambda measured, variant=variant: measured[variant]["events"] / 2e6)
            row += [f"{calls:.2f}", calls_cells(one, variant)[1] if calls >= 1 else "-"]
        rows.append(row)
    table(["Calls", *(text for variant in variants for text in (f"{variant}: millions", "ns a call"))], rows)


def bench_peers(bench):
    modes = bench.options.mode or MODES
    variants = modes + [tool for tool, command in TOOLS.items() if shutil.which(command[0])]
    results = measure_rounds(bench, "peers", "short", ["untraced", *variants])
    say("## Against others: processor time on shorter inputs, traced to untraced, start of the tools included\n")
    for groups in (GROUPS, {"extra": EXTRA}):
        ratio_table("", groups, results, variants)
    calls_table(results, modes + ["uftrace"] if "uftrace" in variants else modes)
