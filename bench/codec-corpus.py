#!/usr/bin/env python3
"""Records the streams that bench-codec compares codecs on: packaged and own programs, under `difftrace collect --codec raw`.

    bench/codec-corpus.py BUILD CORPUS [--extra FILE] [NAME...]

BUILD is a build directory with difftrace in it. CORPUS gets a file NAME.words per stream: 16-bit words, little endian,
at most MOST_WORDS of them. Programs that are not installed are left out. NAME limits what is recorded. With --extra, programs
of one's own are recorded instead, "launcher" and "short" of bench/tracer's --extra, with main and with all images.
"""
import argparse
import array
import importlib
import itertools
import json
import os
import pathlib
import shutil
import subprocess
import sys

MOST_WORDS = 12_000_000
SOURCE = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(SOURCE / "tests/format"))
read_run = importlib.import_module("read_run")

# name: streams (the longest ones), images, command; {c} is the corpus' work directory, {b} the build directory
RUNS = {
    "gzip": (1, "main", "gzip -9c {c}/numbers.txt"),
    "bzip2": (1, "*", "bzip2 -9c {c}/numbers.txt"),
    "xz": (1, "*", "xz -6c {c}/numbers.txt"),
    "zstd": (1, "*", "zstd -12qc {c}/numbers.txt"),
    "sqlite3": (1, "*", ["sqlite3", ":memory:", "create table t(a,b); with recursive c(x) as (select 1 union all select "
                "x+1 from c where x<20000) insert into t select x,x*x%997 from c; create index i on t(b); select "
                "b,count(*),sum(a) from t group by b; select count(*) from t x join t y on x.b=y.a;"]),
    "perl": (1, "main", ["perl", "-e", "my %h; for (1..60000){$h{$_%97}.=chr(65+$_%26); push @a,($_*7919)%10007} "
             "@a=sort {$a<=>$b} @a; for(1..3000){my $s=join '-',@a[$_..$_+5]; $n++ if $s=~/(\\d)\\1.*-9/} print $n"]),
    "python3": (1, "main", ["/usr/bin/python3", "-S", "-c", "import json\nd={str(i):[i*j%97 for j in range(5)] for i in "
                "range(800)}\nfor k in range(3): d=json.loads(json.dumps(d))\ndef q(n,i,a,b,c):\n if i==n: return 1\n "
                "return sum(q(n,i+1,a|{j},b|{i+j},c|{i-j}) for j in range(n) if j not in a and i+j not in b and i-j not "
                "in c)\nprint(q(5,0,set(),set(),set()),len(d))"]),
    "lua": (1, "*", ["lua5.4", "-e", "local t={} for i=1,60000 do t[i]=(i*7919)%10007 end table.sort(t) local s={} for "
            "i=1,5000 do s[#s+1]=string.format('%d:%s',t[i],string.rep('x',i%7)) end local function f(n) if n<2 then "
            "return n end return f(n-1)+f(n-2) end print(#table.concat(s,','),f(22))"]),
    "awk": (1, "main", ["mawk", "{n[$1%101]+=$1; s=s substr($1,2,2); if (length(s)>50) s=\"\"} /9[0-4]7/ {m++} END {for "
            "(i in n) t+=n[i]; print t,m}", "{c}/numbers.txt"]),
    "gawk": (1, "main", ["gawk", "{n[$1%101]+=$1; gsub(/7/,\"x\")} /9[0-4]7/ {m++} END {print length(n),m}",
             "{c}/few.txt"]),
    "bc": (1, "main", ["sh", "-c", "echo 'scale=600; 4*a(1); e(2); scale=20; define f(n){ if (n<2) return n; return f(n-1)+f(n-2);} f(20)' | "
           "exec bc -lq"]),
    "sort": (1, "main", "sort -n -r {c}/numbers.txt"),
    "grep": (1, "*", ["grep", "-cP", "(12|34)+5.*[678]$", "{c}/numbers.txt"]),
    "sed": (1, "main", ["sed", "-n", "s/\\([0-9]\\)\\1/<\\1>/gp", "{c}/few.txt"]),
    "m4": (1, "main", "m4 -L4000 {c}/loop.m4"),
    "bison": (1, "main", ["bison", "-o", "{c}/grammar.c", "{c}/grammar.y"]),
    "git-log": (1, "main", ["git", "-C", "{c}/repository", "log", "--stat"]),
    "git-gc": (1, "main", ["git", "-C", "{c}/repository", "repack", "-adfq", "--threads=1"]),
    "diff": (1, "main", "diff {c}/numbers.txt {c}/few.txt"),
    "cc1": (1, "main", "gcc -O1 -S -o {c}/out.s {c}/program.c"),
    "as": (1, "*", "as -o {c}/out.o {c}/program.s"),
    "ld": (1, "*", "ld.bfd -r -o {c}/out2.o {c}/program.o {c}/program2.o"),
    "clang-all": (1, "*", "clang -O1 -S -o {c}/out.s {c}/small.c"),
    "openssl": (1, "*", "openssl ecparam -genkey -name prime256v1 -noout"),
    "openssl-dh": (1, "*", "openssl dhparam -check -in {c}/dh.pem -noout"),
    "gnuplot": (1, "main", ["gnuplot", "-e", "set terminal svg; set samples 2000; plot sin(x)*x**2, besj0(x)"]),
    "gs": (1, "*", ["gs", "-q", "-dNOPAUSE", "-dBATCH", "-sDEVICE=ppmraw", "-sOutputFile={c}/out.ppm", "-c",
           "100 100 moveto 1 1 60 {dup 3 mul exch 5 mul lineto} for stroke showpage"]),
    "make": (1, "main", "make -n -f {c}/Makefile all"),
    "oddeven": (3, "app", "mpirun -n 8 --oversubscribe --allow-run-as-root {c}/oddeven --block 20000"),
    "oddeven-all": (2, "*", "mpirun -n 4 --oversubscribe --allow-run-as-root {c}/oddeven --block 100"),
    "ilcs-tsp": (3, "app", "mpirun -n 2 --oversubscribe --allow-run-as-root {c}/ilcs-tsp --workers 2"),
    "hpcc": (2, "main", "mpirun -n 2 --oversubscribe --allow-run-as-root hpcc"),
    **{f"own-{name}": (1, "main", f"{{c}}/codec-programs {name}") for name in
       "cg mg lu ep stencil md fib queens quicksort tree hash nest".split()},
    "own-pool": (2, "main", "{c}/codec-programs pool"),
}


def prepare(work):
    """Input files and programs that the runs use."""
    work.mkdir(parents=True, exist_ok=True)
    numbers, state = [], 1
    for _ in range(60000):
        state = (state * 1103515245 + 12345) % 2**31
        numbers.append(str(state >> 8))
    (work / "numbers.txt").write_text("\n".join(numbers) + "\n")
    (work / "few.txt").write_text("\n".join(numbers[:6000]) + "\n")
    (work / "small.c").write_text("int f(int n) { int s = 0; for (int i = 0; i < n; i++) s += i * n; return s; }\n")
    shutil.copy(SOURCE / "bench/codec_programs.c", work / "program.c")
    shutil.copy(SOURCE / "examples/oddeven/oddeven.c", work / "oddeven.c")
    rules = "".join(f"| e '{c}' e {{ $$ = f{i}($1, $3); }}\n" for i, c in enumerate("+-*/%^&<>"))
    (work / "grammar.y").write_text("%left '+' '-'\n%left '*' '/' '%'\n%left '^' '&' '<' '>'\n%token N I\n%%\ns: | s e ';'\n;\n"
                                    f"e: N | I | '(' e ')'\n{rules};\n%%\n")
    (work / "Makefile").write_text("all: " + " ".join(f"t{i}" for i in range(300)) + "\n" +
                                   "".join(f"t{i}: $(wildcard *.c) {'t' + str(i // 2) if i else ''}\n\techo $(subst a,b,$@)\n"
                                           for i in range(300)))
    (work / "loop.m4").write_text("define(`f',`ifelse($1,0,0,`eval($1+f(decr($1)))')')"
                                  "define(`loop',`ifelse($1,0,,`f($1)loop(decr($1))')')loop(60)\n")
    (work / "hpccinf.txt").write_text(HPCC)

    def build(*command):
        subprocess.run(command, cwd=work, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    build("gcc", "-O1", "-fno-inline", "-w", "-o", "codec-programs", "program.c", "-lpthread")
    build("gcc", "-O2", "-S", "-o", "program.s", "program.c")
    build("gcc", "-O2", "-c", "-o", "program.o", "program.c")
    build("gcc", "-O2", "-Dmain=main2", "-Drandom_state=r2", "-c", "-o", "program2.o", "program.c")
    build("mpicc.openmpi", "-O2", "-fno-inline", "-o", "oddeven", "oddeven.c")
    build("mpicc.openmpi", "-O2", "-fno-inline", "-fopenmp", "-o", "ilcs-tsp", str(SOURCE / "examples/ilcs-tsp/ilcs_tsp.c"), "-lm")
    if not (work / "dh.pem").exists():
        build("openssl", "dhparam", "-out", "dh.pem", "512")
    if not (work / "repository").exists():
        build("git", "init", "-q", "repository")
        for i in range(40):
            (work / "repository" / f"file{i % 7}.txt").write_text("\n".join(numbers[i * 50:i * 50 + 700]))
            build("git", "-C", "repository", "add", ".")
            build("git", "-C", "repository", "-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", f"change {i}")


HPCC = """HPLinpack benchmark input file
none
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
96           Ns
1            # of NBs
16           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
1            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""


def read_streams(run, trace):
    """The words of every thread of a process file: (words, thread index)."""
    process = read_run.Process(run, trace, None)
    for owner in sorted({*process.threads, *process.ended}):
        words = array.array("H", itertools.islice(process.words(owner), MOST_WORDS))
        yield words.tobytes(), owner


def record(name, build, corpus, work):
    streams, images, command = RUNS[name]
    command = [word.replace("{c}", str(work)) for word in
               (command.split() if isinstance(command, str) else command)]
    if not shutil.which(command[0]):
        print(f"{name}: {command[0]} is not installed, left out")
        return
    run = work / "run"
    environment = dict(os.environ, OMPI_MCA_rmaps_base_oversubscribe="1", LC_ALL="C", PMIX_MCA_gds="hash")
    subprocess.run([build / "difftrace", "collect", "--codec", "raw", "--images", images, "-o", run, "--timeout", "120", "--",
                    *command], cwd=work, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    found = []
    for trace in run.glob("processes/*.trace"):
        found += [(len(words), trace.name, thread, words) for words, thread in read_streams(run, trace)]
    found.sort(key=lambda one: -one[0])
    for number, (size, _, _, words) in enumerate(found[:streams]):
        file = corpus / (f"{name}.words" if streams == 1 else f"{name}-{number}.words")
        file.write_bytes(words)
        print(f"{file.name}: {size // 2} words, {len(set(words[i:i + 2] for i in range(0, len(words), 2)))} different")
    if not found:
        print(f"{name}: nothing recorded")
    shutil.rmtree(run, ignore_errors=True)


def extra_runs(file):
    """What RUNS is, of a file for bench/tracer."""
    runs = {}
    for name, one in json.loads(file.read_text()).items():
        command = one.get("launcher", []) + one["short"]
        runs.update({name.replace(" ", "-"): (1, "main", command), name.replace(" ", "-") + "-all": (1, "*", command)})
    return runs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("corpus", type=pathlib.Path)
    parser.add_argument("--extra", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    options = parser.parse_args()
    build, corpus = options.build.resolve(), options.corpus.resolve()
    work = corpus / "work"
    prepare(work)
    if options.extra:
        RUNS.clear()
        RUNS.update(extra_runs(options.extra))
    for name in options.names or RUNS:
        record(name, build, corpus, work)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
