"""What bench/tracer runs: packaged programs and our examples, with their input files.

"long" is a command of some seconds of processor time, "short" a smaller one; "launcher" goes before them, other tools between.
"prepare" are commands that run once before, without a tracer; "clean" are globs of what a run leaves behind; "steady" is a file and
a pattern: what a run did, which must be the same however slow it was; "files" are texts that the program reads, by length and name.
"needs" is the program that must be there.
"""
import tracer_science

SQL = ("create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<{rows}) insert into t select "
       "x,x*x%997 from c; create index i on t(b); select b,count(*),sum(a) from t group by b; select count(*) from t where "
       "b like '%7%';")

PERL = ("my %h; for (1..{n}){{$h{{$_%97}}.=chr(65+$_%26) if $_%5==0; push @a,($_*7919)%10007}} @a=sort {{$a<=>$b}} @a; "
        "for(1..{n}/20){{my $s=join '-',@a[$_..$_+5]; $n++ if $s=~/(\\d)\\1.*-9/}} print $n")


def numbers(count):
    """Lines of pseudo-random numbers."""
    state, lines = 1, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        lines.append(str(state >> 8))
    return "\n".join(lines) + "\n"


def others(work):
    """Programs that call functions all the time."""
    (work / "many.txt").write_text(numbers(7_000_000))
    (work / "few.txt").write_text(numbers(300_000))
    return {
        "sqlite3": {"needs": "sqlite3", "long": ["sqlite3", ":memory:", SQL.format(rows=4_000_000)],
                    "short": ["sqlite3", ":memory:", SQL.format(rows=300_000)]},
        "perl": {"needs": "perl", "long": ["perl", "-e", PERL.format(n=15_000_000)],
                 "short": ["perl", "-e", PERL.format(n=300_000)]},
        "bzip2": {"needs": "bzip2", "long": ["bzip2", "-9kc", "many.txt"], "short": ["bzip2", "-9kc", "few.txt"]},
        "xz": {"needs": "xz", "long": ["xz", "-1kc", "many.txt"], "short": ["xz", "-1kc", "few.txt"]},
    }


def examples(build):
    """Those of examples/ and bench/faults/apps that compute on one rank. Open MPI's ranks spin while they wait for others."""
    def example(path, arguments, many, few):
        command = [str(build / path), *arguments]
        return {"needs": command[0], "launcher": tracer_science.RANK, "long": command + [many], "short": command + [few]}

    faults = "bench/faults/programs"
    return {
        "oddeven": example("examples/oddeven", ["--bug", "none", "--block"], "35000000", "3000000"),
        "ilcs-tsp": example("examples/ilcs-tsp", ["--workers", "1", "--cities", "200", "--searches"], "3000", "200"),
        "stencil2d": example(f"{faults}/stencil2d", ["--size", "1000", "--steps"], "1500", "100"),
        "hydro": example(f"{faults}/hydro", ["--size", "20000", "--steps"], "4300", "300"),
        "multigrid": example(f"{faults}/multigrid", ["--steps"], "3000000", "200000"),
        "transpose": example(f"{faults}/transpose", ["--size", "1000", "--steps"], "700", "50"),
        "heat": example(f"{faults}/heat", ["--size", "1000000", "--steps"], "1100", "80"),
    }


def programs(work, build):
    """Name to what it needs and its commands."""
    groups = {"science": tracer_science.programs(work), "examples": examples(build), "others": others(work)}
    return {name: {**one, "group": group} for group, members in groups.items() for name, one in members.items()}


def unpredictable(work):
    """Name to images and command: programs whose calls are hard to predict."""
    source = "".join(f"int f{i}(int *p, int n) {{ int s = {i}; for (int k = 0; k < n; k++) if (p[k] % {i + 2}) s += p[k] * k; "
                     f"else s ^= f{i - 1 if i else 0}(p, n - 1); return s; }}\n" for i in range(60))
    (work / "source.c").write_text(source)
    (work / "few.txt").write_text(numbers(300_000))
    json = ("import json\nd={str(i):[i*j%97 for j in range(5)] for i in range(800)}\n"
            "for k in range(30): d=json.loads(json.dumps(d))")
    return {
        "gcc, main": ("main", ["gcc", "-O1", "-S", "-o", "/dev/null", "source.c"]),
        "gcc, all": ("all", ["gcc", "-O1", "-S", "-o", "/dev/null", "source.c"]),
        "python3, main": ("main", ["/usr/bin/python3", "-S", "-c", json]),
        "perl, main": ("main", ["perl", "-e", PERL.format(n=300_000)]),
        "sqlite3, all": ("all", ["sqlite3", ":memory:", SQL.format(rows=200_000)]),
    }
