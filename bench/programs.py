#!/usr/bin/env python3
"""Packaged programs, run untraced and traced with every image: do they behave alike?

    bench/programs.py [--difftrace PATH] [--images all] [--repeat N] [--install] [--markdown] [NAME...]

Each program runs a small job in a folder of its own, once untraced and then traced, and stdout, stderr, exit status and
all files that it leaves must be the same. Programs that are not installed are left out; with --install their Debian
packages are installed first. The exit status is 1 if any program behaves differently.
"""

import argparse
import hashlib
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

LIMIT = 300  # seconds until a job counts as hung

C_SOURCE = """#include <math.h>
#include <stdio.h>
static double step(double x) { return sqrt(x + 1); }
int main(void) { double x = 0; for (int i = 0; i < 100; i++) x = step(x); printf("%.6f\\n", x); return 3; }
"""
CXX_SOURCE = """#include <iostream>
#include <map>
#include <string>
int main() { std::map<std::string, int> m; for (int i = 0; i < 50; i++) m[std::to_string(i * 7 % 13)]++;
  for (const auto &e : m) std::cout << e.first << ' ' << e.second << '\\n'; }
"""
FORTRAN_SOURCE = "program p\n  integer :: i\n  print *, sum([(i * i, i = 1, 100)])\nend program\n"
SCIPY = """import numpy, scipy.linalg, scipy.optimize, scipy.sparse
a = numpy.arange(400.0).reshape(20, 20) % 17 + numpy.eye(20) * 50
print(numpy.round(scipy.linalg.solve(a, numpy.ones(20)), 9).tolist())
print(round(scipy.optimize.brentq(lambda x: x ** 3 - 2, 0, 2), 9))
print(scipy.sparse.random(50, 50, 0.1, random_state=1).sum().round(6))
"""
PYTHON = """import ctypes, json, sqlite3, subprocess, threading, zlib, hashlib, re, decimal
threads = [threading.Thread(target=lambda: sum(i * i for i in range(20000))) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
db = sqlite3.connect(':memory:'); db.execute('create table t(a)'); db.executemany('insert into t values(?)', [(i,) for i in range(99)])
print(db.execute('select sum(a) from t').fetchone(), ctypes.CDLL(None).abs(-5), hashlib.sha256(b'x').hexdigest())
compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_int))(lambda a, b: a[0] - b[0])
numbers = (ctypes.c_int * 5)(5, 1, 4, 2, 3); ctypes.CDLL(None).qsort(numbers, 5, 4, compare); print(list(numbers))
print(subprocess.run(['echo', 'child'], capture_output=True, text=True).stdout, len(zlib.compress(b'a' * 99999)))
try: ctypes.CDLL('libabsent.so')
except OSError as error: print('no library')
raise SystemExit(7)
"""
PERL = r"""my %h; $h{$_ % 97} .= $_ for 1..20000; my $n = 0; for (sort keys %h) { $n += length $h{$_} } print "$n\n";
my $t = 'a1b22c333' x 500; my @m = $t =~ /(\d+)/g; print scalar(@m), "\n"; eval { die "caught\n" }; print $@;
print `echo from a child`; exit 4;"""
JAVA = """import java.util.*; import java.util.stream.*;
public class Job { static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
  public static void main(String[] a) throws Exception { System.out.println(fib(22));
    System.out.println(IntStream.range(0, 1000).parallel().filter(i -> i % 3 == 0).sum());
    Thread t = new Thread(() -> System.out.println("thread")); t.start(); t.join();
    try { Object o = null; o.hashCode(); } catch (NullPointerException e) { System.out.println("caught"); }
    StringBuilder s = new StringBuilder(); for (int i = 0; i < 5000; i++) s.append(i); System.out.println(s.length());
    System.gc(); System.exit(6); } }
"""
LAMMPS = """units lj
lattice fcc 0.8442
region box block 0 4 0 4 0 4
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
fix 1 all nve
thermo 50
dump 1 all custom 100 out.txt id x y z
run 100
"""
LINES = "seq 1 20000 | awk '{print ($1 * 7919) % 10007, $1}' > lines.txt"

# name: (Debian packages, programs needed, files, shell script)
JOBS = {
    "python3": ("python3", "python3", {"job.py": PYTHON}, "python3 -B job.py"),
    "python3, scipy": ("python3-scipy", "python3", {"job.py": SCIPY}, "OPENBLAS_NUM_THREADS=2 python3 -B job.py"),
    "perl": ("perl", "perl", {"job.pl": PERL}, "perl job.pl"),
    "gcc": ("gcc", "gcc", {"job.c": C_SOURCE}, "gcc -O2 -o job job.c -lm && ./job"),
    "g++": ("g++", "g++", {"job.cc": CXX_SOURCE}, "g++ -O1 -o job job.cc && ./job"),
    "gfortran": ("gfortran", "gfortran", {"job.f90": FORTRAN_SOURCE}, "gfortran -O1 -o job job.f90 && ./job"),
    "clang": ("clang", "clang", {"job.c": C_SOURCE}, "clang -O2 -o job job.c -lm && ./job"),
    "binutils": ("binutils", "objdump", {}, "objdump -d /bin/ls | sha256sum; nm -D /bin/bash | wc -l; readelf -a /bin/ls | wc -l"),
    "make": ("make", "make", {"Makefile": "all: a b c\n%:\n\techo $@ > $@.out; cat $@.out\n"}, "make; make absent"),
    "cmake, ninja": ("cmake ninja-build", "cmake ninja gcc",
                     {"CMakeLists.txt": "cmake_minimum_required(VERSION 3.18)\nproject(job C)\nadd_executable(job job.c)\n"
                                        "target_link_libraries(job m)\n", "job.c": C_SOURCE},
                     "cmake -G Ninja -S . -B out >/dev/null && ninja -C out >/dev/null; out/job; s=$?; rm -rf out; exit $s"),
    "git": ("git", "git", {}, "export GIT_AUTHOR_DATE='2020-01-01 00:00:00 +0000' GIT_COMMITTER_DATE='2020-01-01 00:00:00 +0000' "
                              "GIT_CONFIG_GLOBAL=/dev/null; git init -q -b main r && cd r && git config user.email a@b && "
                              "git config user.name a && for i in 1 2 3; do seq $i 2000 > f; git add f; git commit -qm c$i; done; "
                              "git log --stat; git diff HEAD~2 | sha256sum; git blame f | tail -1; git gc -q; git fsck; git checkout absent; "
                              "cd ..; rm -rf r"),
    "sqlite3": ("sqlite3", "sqlite3", {}, "sqlite3 job.db \"create table t(a, b); with recursive c(x) as (select 1 union all select x+1 from c "
                                          "limit 20000) insert into t select x, x % 7 from c; create index i on t(b); select b, count(*), sum(a) from t group by b; "
                                          "select absent from t\""),
    "openssl": ("openssl", "openssl", {}, "seq 1 9999 > f; openssl dgst -sha512 f; openssl enc -aes-256-cbc -K 00 -iv 00 -in f -out f.enc 2>/dev/null; "
                                          "openssl enc -d -aes-256-cbc -K 00 -iv 00 -in f.enc 2>/dev/null | cmp - f && echo same; openssl prime 1000003; "
                                          "openssl genrsa 1024 2>/dev/null | openssl rsa -noout -check 2>/dev/null"),
    "ffmpeg": ("ffmpeg", "ffmpeg", {}, "ffmpeg -v error -f lavfi -i testsrc=d=1:s=160x120:r=10 -threads 2 -c:v mpeg4 -bitexact out.avi && "
                                       "ffmpeg -v error -i out.avi -f md5 -; ffmpeg -v error -i absent out.mp4"),
    "java": ("default-jdk-headless", "javac", {"Job.java": JAVA}, "javac Job.java && java -Xshare:auto -Xmx256m Job"),
    "gdb": ("gdb", "gdb", {"job.c": C_SOURCE}, "gdb -q -batch -nx -ex 'print 6*7' -ex 'info line main' -ex 'python print(sum(range(9)))' /bin/true 2>&1"),
    "tar": ("tar", "tar", {}, LINES + "; mkdir d; cp lines.txt d/a; ln -s a d/b; tar --sort=name --mtime=@0 --owner=0 --group=0 -czf d.tgz d; tar -tvzf d.tgz; tar xf absent; "
                             "zcat d.tgz | sha256sum; rm d.tgz"),
    "gzip": ("gzip", "gzip", {}, LINES + "; gzip -9nk lines.txt; gzip -dc lines.txt.gz | cmp - lines.txt; gzip -t lines.txt"),
    "bzip2": ("bzip2", "bzip2", {}, LINES + "; bzip2 -k lines.txt; bzip2 -dc lines.txt.bz2 | cmp - lines.txt"),
    "xz": ("xz-utils", "xz", {}, LINES + "; xz -kT2 lines.txt; xz -dc lines.txt.xz | cmp - lines.txt; xz -l lines.txt.xz"),
    "zstd": ("zstd", "zstd", {}, LINES + "; zstd -q -T2 -19 lines.txt; zstd -qdc lines.txt.zst | cmp - lines.txt"),
    "awk": ("mawk", "awk", {}, LINES + "; awk '{s[$1 % 10] += $2} END {for (i = 0; i < 10; i++) print i, s[i]; exit 5}' lines.txt"),
    "sed": ("sed", "sed", {}, LINES + "; sed -E 's/([0-9]+) ([0-9]+)/\\2-\\1/; /1$/d' lines.txt | sha256sum; sed absent"),
    "grep": ("grep", "grep", {}, LINES + "; grep -cE '^(1|9).*7$' lines.txt; grep -P '(?<=5)0 ' lines.txt | tail -1; grep -r 9999 . | sort; grep x lines.txt"),
    "find": ("findutils", "find", {}, "mkdir -p a/b/c; touch a/x a/b/y; find a -type f -printf '%p %s\\n' | sort; find a -name '*' -exec echo {} + | wc -w; find absent"),
    "sort": ("coreutils", "sort", {}, LINES + "; sort -n -k1,1 --parallel=2 lines.txt | sha256sum; sort -u -k2 lines.txt | wc -l; sort -c lines.txt"),
    "coreutils": ("coreutils", "ls", {}, LINES + "; md5sum lines.txt; wc lines.txt; cut -d' ' -f1 lines.txt | uniq | wc -l; tac lines.txt | head -3; "
                                         "timeout 0.2 sleep 5; echo $?; nl lines.txt | tail -1; split -n 3 lines.txt; date -d @0 -u; stat -c %s lines.txt; factor 1234567891"),
    "diff, patch": ("diffutils patch", "diff patch", {}, LINES + "; sed 's/^9/8/' lines.txt > other; diff -u lines.txt other | grep -v '^[-+][-+]' > p; sha256sum p; cmp lines.txt other"),
    "bc": ("bc", "bc", {}, "echo 'scale=200; 4*a(1); 2^500' | bc -l"),
    "tclsh": ("tcl", "tclsh", {"job.tcl": "proc f n {expr {$n < 2 ? $n : [f [expr $n-1]] + [f [expr $n-2]]}}\nputs [f 15]\nputs [exec echo child]\n"
                                          "puts [lsort -integer {3 1 2}]\ncatch {error x} m\nputs $m\nexit 3\n"}, "tclsh job.tcl"),
    "ruby": ("ruby", "ruby", {"job.rb": "def f(n) n < 2 ? n : f(n-1) + f(n-2) end\nputs f(15)\nt = 3.times.map { |i| Thread.new { f(10 + i) } }\nputs t.map(&:value).inspect\n"
                                        "fib = Fiber.new { 5.times { |i| Fiber.yield i } }\n5.times { print fib.resume }\nputs\nputs `echo child`\nbegin; raise 'x'; rescue => e; puts e.message; end\n"
                                        "e = [1,2,3].each; puts e.next, e.next\nexit 4\n"}, "ruby job.rb"),
    "lua": ("lua5.4", "lua5.4", {"job.lua": "local co = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i) end end)\nfor i = 1, 5 do io.write(co(), ' ') end\n"
                                            "print(pcall(error, 'x'))\nprint(string.rep('ab', 3):gsub('a', 'c'))\nos.exit(2)\n"}, "lua5.4 job.lua"),
    "node": ("nodejs", "node", {"job.js": "const f = n => n < 2 ? n : f(n-1) + f(n-2);\nconsole.log(f(20));\nPromise.resolve(5).then(v => console.log(v));\n"
                                          "try { null.x } catch (e) { console.log('caught') }\nconst {execSync} = require('child_process');\nconsole.log(execSync('echo child').toString());\n"
                                          "require('zlib').gzip(Buffer.alloc(100000), (e, b) => { console.log(b.length > 0); process.exit(3) });\n"}, "node job.js"),
    "php": ("php-cli", "php", {"job.php": "<?php function f($n) { return $n < 2 ? $n : f($n-1) + f($n-2); } echo f(18), \"\\n\"; function g() { yield 1; yield 2; } "
                                          "foreach (g() as $v) echo $v; echo preg_replace('/\\d/', 'x', 'a1b2'), PHP_EOL; try { throw new Exception('e'); } catch (Exception $e) { echo $e->getMessage(); } exit(3);"},
            "php job.php"),
    "gnuplot": ("gnuplot-nox", "gnuplot", {"job.gp": "set terminal svg\nset output 'out.svg'\nplot sin(x), x**2\nprint 3*4\n"}, "gnuplot job.gp"),
    "graphviz": ("graphviz", "dot", {"job.dot": "digraph g { a -> b -> c; a -> c; c -> d; subgraph cluster { x -> y } }\n"}, "dot -Tsvg job.dot | sha256sum; dot -Tpng job.dot -o out.png"),
    "imagemagick": ("imagemagick", "convert", {}, "convert -size 80x60 gradient:red-blue -blur 0x2 -depth 8 out.ppm && sha256sum out.ppm; convert absent.png out2.png 2>/dev/null; echo $?"),
    "curl": ("curl", "curl", {"page": "hello\n"}, "curl -s file://$PWD/page; curl -s http://127.0.0.1:9/; echo $?"),
    "bash": ("bash", "bash", {"job.sh": "f() { (( $1 < 2 )) && echo $1 || echo $(( $(f $(($1-1))) + $(f $(($1-2))) )); }\nf 7\ntrap 'echo trapped' USR1; kill -USR1 $$\n"
                                        "a=(3 1 2); for i in \"${a[@]}\"; do echo $i; done | sort\necho $(( 2**40 )) ${BASH_VERSION%%.*}\nwait; exit 9\n"}, "bash job.sh"),
    "dash": ("dash", "dash", {"job.sh": "i=0; while [ $i -lt 200 ]; do i=$((i+1)); done; echo $i; (exit 3) || echo $?; echo a | cat | cat; trap 'echo bye' EXIT; exit 5\n"}, "dash job.sh"),
    "vim": ("vim", "vim", {"in.txt": "one\ntwo\nthree\n"}, "vim -N -u NONE -i NONE -es -c '%s/t/T/g' -c 'g/one/d' -c 'w out.txt' -c 'q!' in.txt; cat out.txt"),
    "emacs": ("emacs-nox", "emacs", {"job.el": "(defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))\n(princ (f 16))\n(with-temp-file \"out.txt\" (insert (format \"%s\" (sort (list 3 1 2) '<))))\n"
                                               "(condition-case e (error \"x\") (error (princ e)))\n(kill-emacs 3)\n"}, "emacs -Q --batch -l job.el"),
    "lammps": ("lammps", "lmp", {"job.in": LAMMPS}, "OMP_NUM_THREADS=1 lmp -in job.in -log none | grep -E '^ +[0-9]+ +[-0-9.]+ '; cat out.txt | sha256sum"),
    "valgrind's target": ("valgrind", "valgrind", {}, "DIFFTRACE_RUN= LD_PRELOAD= valgrind -q /bin/true"),
    "octave": ("octave", "octave-cli", {}, "octave-cli --quiet --no-history --eval 'a = magic(6); disp(det(a(1:3,1:3))); disp(sum(eig(a))); try, error(\"x\"), catch e, disp(e.message), end, exit(3)'"),
    "R": ("r-base-core", "Rscript", {}, "Rscript --vanilla -e 'set.seed(1); x <- 1:20; print(coef(lm(x^2 ~ x))); print(tryCatch(stop(\"e\"), error = function(e) \"caught\")); quit(status = 4)'"),
    "xsltproc": ("xsltproc libxml2-utils", "xmllint", {"a.xml": "<a>" + "<b c='1'>t</b>" * 200 + "</a>\n"}, "xmllint --format a.xml | sha256sum; xmllint --xpath 'count(//b)' a.xml; echo '<a' | xmllint -"),
    "gawk": ("gawk", "gawk", {}, LINES + "; gawk '{s[$1 % 10] += $2} END {n = asorti(s, t); for (i = 1; i <= n; i++) print t[i], s[t[i]]}' lines.txt"),
    "ghostscript": ("ghostscript", "gs", {"a.ps": "%!PS\n/Times-Roman findfont 20 scalefont setfont 50 50 moveto (text) show showpage\n"},
                    "gs -q -dBATCH -dNOPAUSE -sDEVICE=pgmraw -r30 -sOutputFile=out.pgm a.ps; sha256sum out.pgm"),
    "nginx, rsync": ("rsync", "rsync", {}, LINES + "; mkdir a b; cp lines.txt a; rsync -a a/ b/; cmp a/lines.txt b/lines.txt && echo same; rsync absent b/ 2>&1 | head -1"),
}
JOBS["rsync"] = JOBS.pop("nginx, rsync")
JOBS.pop("valgrind's target")
# What shows the time, a process id, an address or a random number in files that are compared by content.
VOLATILE = ("job.db", "f.enc", "out.svg")


def files_left(folder):
    found = {}
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            if os.path.islink(full) or not os.path.isfile(full):
                continue
            with open(full, "rb") as file:
                content = b"" if name in VOLATILE else file.read()
            found[os.path.relpath(full, folder)] = hashlib.sha256(content).hexdigest()
    return found


def run(script, files, prefix, top):
    """What the job does in a fresh folder, always of the same name: status, stdout, stderr, files; and CPU seconds."""
    folder = os.path.join(top, "job")
    shutil.rmtree(folder, ignore_errors=True)
    os.mkdir(folder)
    for name, content in files.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(content)
    environment = dict(os.environ, PATH="/usr/bin:/bin", LC_ALL="C.UTF-8", HOME=top, XDG_CONFIG_HOME=top, SOURCE_DATE_EPOCH="0", TZ="UTC",
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    try:
        result = subprocess.run(prefix + ["sh", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=LIMIT)
        status, out, err = result.returncode, result.stdout, result.stderr
    except subprocess.TimeoutExpired as expired:
        status, out, err = "no end", expired.stdout or b"", expired.stderr or b""
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"status": status, "stdout": out, "stderr": err, "files": files_left(folder)}, seconds, time.monotonic() - start


def own_lines(text, ours):
    return [line for line in text.splitlines() if line.startswith(b"difftrace: ") == ours]


def differences(untraced, traced):
    return [what for what in untraced if untraced[what] != traced[what]]


def check(name, arguments, top):
    _, _, files, script = JOBS[name]
    untraced, base, _ = run(script, files, [], top)
    again, _, _ = run(script, files, [], top)
    unstable = differences(untraced, again)
    row = {"name": name, "base": base, "traced": 0.0, "differs": [], "unstable": unstable, "said": ""}
    for _ in range(arguments.repeat):
        prefix = [arguments.difftrace, "collect", "-o", os.path.join(top, "run"), "--images", arguments.images, "--"]
        traced, row["traced"], _ = run(script, files, prefix, top)
        said = own_lines(traced["stderr"], True)
        row["said"] = b"; ".join(line[11:] for line in said).decode(errors="replace")
        traced["stderr"] = b"\n".join(own_lines(traced["stderr"], False))
        plain = dict(untraced, stderr=b"\n".join(own_lines(untraced["stderr"], False)))
        row["differs"] = [what for what in differences(plain, traced) if what not in unstable]
        if row["differs"]:
            row["detail"] = {what: (plain[what], traced[what]) for what in row["differs"]}
            break
    return row


def install(names):
    packages = sorted({package for name in names for package in JOBS[name][0].split()})
    subprocess.run(["apt-get", "install", "-y", "--no-install-recommends"] + packages, check=True)


def print_row(row, markdown):
    verdict = "differs: " + ", ".join(row["differs"]) if row["differs"] else "same"
    if row["unstable"]:
        verdict += " (not compared, differs untraced: %s)" % ", ".join(row["unstable"])
    cells = (row["name"], verdict, "%.2f" % row["base"], "%.2f" % row["traced"])
    print(("| %s | %s | %s | %s |" if markdown else "%-16s %-40s %8s %8s") % cells, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--difftrace", default=os.path.join(os.path.dirname(__file__), "..", "build", "difftrace"))
    parser.add_argument("--images", default="all")
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--install", action="store_true", help="install the packages that are missing")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="show what differs")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    arguments.difftrace = os.path.abspath(arguments.difftrace)
    names = arguments.names or list(JOBS)
    absent = [name for name in names if not all(shutil.which(program) for program in JOBS[name][1].split())]
    if arguments.install and absent:
        install(absent)
        absent = [name for name in absent if not all(shutil.which(program) for program in JOBS[name][1].split())]
    print("| program | behaviour | untraced, CPU s | traced, CPU s |\n|---|---|---|---|" if arguments.markdown else
          "%-16s %-40s %8s %8s" % ("program", "behaviour", "untraced", "traced"))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="difftrace-programs-") as top:
        for name in names:
            if name in absent:
                continue
            row = check(name, arguments, top)
            failed += bool(row["differs"])
            print_row(row, arguments.markdown)
            if arguments.verbose:
                print("    " + row["said"])
                for what, (expected, found) in row.get("detail", {}).items():
                    print("    %s untraced: %r\n    %s traced: %r" % (what, expected, what, found))
    print("\n%d programs, %d behave differently%s" %
          (len(names) - len(absent), failed, "; not installed: " + ", ".join(absent) if absent else ""))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
