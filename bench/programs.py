#!/usr/bin/env python3
"""Packaged programs, run untraced and traced with every image: do they behave alike?

    bench/programs.py [--difftrace PATH] [--images all] [--repeat N] [--install | --only-install] [--markdown] [NAME...]

Each program runs a small job in a folder of its own, twice untraced and then traced, and stdout, stderr, exit status and
all files that it leaves must be the same. Programs that are not installed are left out; with --install their Debian
packages are installed first. The exit status is 1 if any program behaves differently.
"""

import argparse
import hashlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import server_jobs

LIMIT = 300  # seconds until a job counts as hung
PATH = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/games"

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
THREADS_SOURCE = """#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static long sums[4];
static void *add(void *number) { for (long i = 0; i < 20000; i++) sums[(long)number] += i % ((long)number + 2); return NULL; }
int main(void) { pthread_t threads[4];
  for (long i = 0; i < 4; i++) pthread_create(&threads[i], NULL, add, (void *)i);
  for (int i = 0; i < 4; i++) { pthread_join(threads[i], NULL); printf("%ld\\n", sums[i]); }
  char *text = malloc(100); snprintf(text, 100, "%p", NULL); puts(text); free(text); return 3; }
"""
LEAK_SOURCE = """#include <stdlib.h>
#include <stdio.h>
__attribute__((noinline)) static int *make(int n) { return malloc(n * sizeof(int)); }
int main(void) { int *kept = make(3), *other = make(7); kept[1] = 5; printf("%d\\n", kept[1]); other = NULL; free(kept); return other ? 1 : 3; }
"""
MULTIPROCESSING = """import asyncio, multiprocessing, os, signal, tempfile, concurrent.futures
def work(n): return sum(i * n for i in range(2000))
async def ask():
    server = await asyncio.start_unix_server(answer, 's'); results = await asyncio.gather(*(client(i) for i in range(20))); server.close(); return results
async def answer(reader, writer): writer.write((await reader.readline()).upper()); await writer.drain(); writer.close()
async def client(n):
    reader, writer = await asyncio.open_unix_connection('s'); writer.write(b'line %d\\n' % n); return await reader.readline()
if __name__ == '__main__':
    for method in 'fork', 'spawn', 'forkserver':
        with multiprocessing.get_context(method).Pool(3) as pool: print(method, sum(pool.map(work, range(30))))
    with concurrent.futures.ThreadPoolExecutor(4) as pool: print(sum(pool.map(work, range(30))))
    print(asyncio.run(ask())[-1]); os.unlink('s')
    signal.signal(signal.SIGALRM, lambda *_: print('alarm')); signal.setitimer(signal.ITIMER_REAL, 0.05); signal.pause()
    os.kill(os.getpid(), signal.SIGTERM)
"""
LATEX = r"""\documentclass{article}
\newcount\n \def\f#1{\ifnum#1<2 \the#1\else\the\numexpr#1*#1\relax\fi}
\begin{document}\tableofcontents \section{One}\label{a} \loop\ifnum\n<200 \f{\n}, \advance\n1\repeat
\[\int_0^\infty e^{-x^2}dx = \frac{\sqrt\pi}2\] See~\ref{a} on~\pageref{b}.\newpage\section{Two}\label{b} \undefinedcommand
\end{document}
"""
ERLANG = """-module(job).
-export([main/0]).
fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).
main() -> Me = self(), [spawn(fun() -> Me ! {N, fib(N)} end) || N <- lists:seq(1, 20)],
  io:format("~p~n", [[receive {N, F} -> F end || N <- lists:seq(1, 20)]]),
  io:format("~p ~s", [catch erlang:error(x, []), os:cmd("echo child")]), halt(4).
"""
GUILE = "(use-modules (ice-9 threads) (ice-9 format))\n(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))\n(display (map f '(5 10 20))) (newline)\n" \
        "(display (par-map f '(11 12 13))) (newline)\n(display (call/cc (lambda (k) (for-each (lambda (x) (if (> x 2) (k x))) '(1 2 3 4)) 0))) (newline)\n" \
        "(catch 'misc-error (lambda () (error \"x\")) (lambda (key . rest) (display key) (newline)))\n(gc) (system* \"echo\" \"child\")\n(exit 5)\n"
LISP = "(defun f (n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))\n(format t \"~a~%\" (f 20))\n(handler-case (error \"x\") (error (e) (format t \"caught ~a~%\" e)))\n" \
       "(let ((l nil)) (dotimes (i 30000) (push i l)) (format t \"~a~%\" (reduce #'+ l)))\n(format t \"~a~%\" (expt 3 200))\n" \
       "(handler-case (/ 1 (- 2 2)) (division-by-zero () (format t \"zero~%\")))\n"
SBCL = LISP + "(sb-ext:gc :full t)\n(format t \"~a~%\" (mapcar #'sb-thread:join-thread (loop for i below 4 collect (let ((i i)) (sb-thread:make-thread (lambda () (f (+ 10 i))))))))\n" \
              "(handler-case (labels ((deep (n) (+ 1 (deep (+ n 1))))) (deep 0)) (storage-condition () (format t \"deep~%\")))\n(sb-ext:exit :code 5 :abort t)\n"
CHEZ = "(define (f n) (if (< n 2) n (+ (f (- n 1)) (f (- n 2)))))\n(display (f 22)) (newline)\n(display (call/cc (lambda (k) (+ 1 (k 5))))) (newline)\n(collect)\n" \
       "(display (guard (e (#t 'caught)) (error 'x \"y\"))) (newline)\n(display (expt 3 100)) (newline)\n(exit 5)\n"
OCAML = "exception E of int\nlet rec f n = if n < 2 then n else f (n - 1) + f (n - 2)\nlet rec deep n = if n = 0 then raise (E 5) else 1 + deep (n - 1)\n" \
        "let () = print_int (f 20); print_newline (); (try ignore (deep 10000) with E n -> Printf.printf \"E %d\\n\" n);\n" \
        "  let t = Hashtbl.create 10 in for i = 0 to 50000 do Hashtbl.replace t (i mod 97) (string_of_int i) done; Gc.compact ();\n" \
        "  Printf.printf \"%d\\n%!\" (Hashtbl.length t); let rec over n = 1 + over (n + 1) in (try ignore (over 0) with Stack_overflow -> print_endline \"deep\"); exit 4\n"
GO = """package main
import ("fmt"; "os"; "sync")
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func main() { var w sync.WaitGroup; r := make([]int, 20)
  for i := range r { w.Add(1); go func(i int) { defer w.Done(); r[i] = fib(i) }(i) }
  w.Wait(); fmt.Println(r)
  func() { defer func() { fmt.Println(recover()) }(); var p *int; fmt.Println(*p) }()
  os.Exit(4) }
"""
CSHARP = """using System; using System.Linq; using System.Threading;
class Job { static int F(int n) { return n < 2 ? n : F(n - 1) + F(n - 2); }
  static int Main() { Console.WriteLine(F(22)); var t = new Thread(() => Console.WriteLine("thread")); t.Start(); t.Join();
    try { string s = null; Console.WriteLine(s.Length); } catch (NullReferenceException) { Console.WriteLine("caught"); }
    Console.WriteLine(Enumerable.Range(0, 1000).AsParallel().Where(i => i % 3 == 0).Sum());
    object[] kept = new object[100]; for (int i = 0; i < 200000; i++) kept[i % 100] = new byte[100]; GC.Collect();
    try { checked { int x = int.MaxValue; x += kept.Length; } } catch (OverflowException e) { Console.WriteLine(e.GetType()); } return 6; } }
"""
PROLOG = ":- initialization(main).\nfib(0, 0). fib(1, 1). fib(N, F) :- N > 1, A is N - 1, B is N - 2, fib(A, X), fib(B, Y), F is X + Y.\n" \
         "main :- fib(17, F), writeln(F), catch(atom_length(_, _), error(E, _), (print(E), nl)), findall(X, (between(1, 2000, X), X mod 7 =:= 0), L), sum_list(L, S), writeln(S),\n" \
         "  first_solution(Y, [member(Y, [1])], []), writeln(Y), concurrent_maplist([A, B]>>(B is A * A), [1, 2, 3], Q), writeln(Q), garbage_collect, Z is 7 ** 77, writeln(Z), halt(3).\n"
EXPECT = "log_user 0\nset timeout 60\nspawn sh\nsend \"PS1=; stty -echo; echo re\\\"\\\"ady\\r\"\nexpect ready {puts ready} timeout {puts late}\n" \
         "send \"echo wai\\\"\\\"ting; read x; echo got-\\$x\\r\"\nexpect waiting {puts waiting} timeout {puts late}\n" \
         "send \"typed\\r\"\nexpect got-typed {puts typed} timeout {puts late}\nsend \"exit 6\\r\"\nexpect eof\nputs [lindex [wait] 3]\nexit 4\n"
VERILOG = "module t; reg [31:0] a; integer i; initial begin a = 1; for (i = 0; i < 500; i = i + 1) begin #1 a = a * 1103515245 + 12345; end $display(\"%d %t\", a, $time); $finish; end endmodule\n"
SMT = "(declare-const x Int)\n(declare-const y Int)\n(assert (and (> x 3) (< y 10) (= (+ (* 3 x) (* 5 y)) 47)))\n(check-sat)\n(get-model)\n(assert (> x 100))\n(check-sat)\n" \
      "(reset)\n(declare-const a (_ BitVec 16))\n(assert (= (bvmul a a) #x0a29))\n(check-sat)\n(check-sat-using (par-or smt (then simplify smt)))\n"
GLPK = "set I := 1..40; var x{I} >= 0, integer; maximize z: sum{i in I} (i mod 7 + 1) * x[i];\ns.t. c{k in 1..10}: sum{i in I} ((i * k) mod 11 + 1) * x[i] <= 100 + k; solve; display z; end;\n"
NASM = "section .text\nglobal f\nf: mov eax, edi\nimul eax, 3\nret\n%rep 100\nnop\n%endrep\n"
SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='90' height='60'><defs><linearGradient id='g'><stop stop-color='red'/><stop offset='1' stop-color='blue'/></linearGradient>" \
      "<filter id='b'><feGaussianBlur stdDeviation='2'/></filter></defs><rect width='90' height='60' fill='url(#g)'/><circle cx='40' cy='30' r='20' fill='green' filter='url(#b)'/></svg>\n"
MARKDOWN = "# Title\n\nSome *text* with `code`, $x^2$ and a [link](http://a.b).\n\n" + "".join("%d. item %d\n" % (n, n) for n in range(1, 60)) + "\n| a | b |\n|---|---|\n| 1 | 2 |\n"
PAGE = "<!doctype html><title>t</title><p id=p>before</p><script>let f = n => n < 2 ? n : f(n-1) + f(n-2); p.textContent = 'fib ' + f(20); " \
       "document.body.append([...Array(50).keys()].map(x => x * x).join(' ')); try { null.x } catch (e) { document.body.append(e.name) }</script>\n"
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
    "octave": ("octave", "octave-cli", {}, "octave-cli --quiet --no-history --eval 'a = magic(6); disp(det(a(1:3,1:3))); disp(sum(eig(a))); try, error(\"x\"), catch e, disp(e.message), end, exit(3)'"),
    "R": ("r-base-core", "Rscript", {}, "Rscript --vanilla -e 'set.seed(1); x <- 1:20; print(coef(lm(x^2 ~ x))); print(tryCatch(stop(\"e\"), error = function(e) \"caught\")); quit(status = 4)'"),
    "xsltproc": ("xsltproc libxml2-utils", "xmllint", {"a.xml": "<a>" + "<b c='1'>t</b>" * 200 + "</a>\n"}, "xmllint --format a.xml | sha256sum; xmllint --xpath 'count(//b)' a.xml; echo '<a' | xmllint -"),
    "gawk": ("gawk", "gawk", {}, LINES + "; gawk '{s[$1 % 10] += $2} END {n = asorti(s, t); for (i = 1; i <= n; i++) print t[i], s[t[i]]}' lines.txt"),
    "ghostscript": ("ghostscript", "gs", {"a.ps": "%!PS\n/Times-Roman findfont 20 scalefont setfont 50 50 moveto (text) show showpage\n"},
                    "gs -q -dBATCH -dNOPAUSE -sDEVICE=pgmraw -r30 -sOutputFile=out.pgm a.ps; sha256sum out.pgm"),
    "rsync": ("rsync", "rsync", {}, LINES + "; mkdir a b; cp lines.txt a; rsync -a a/ b/; cmp a/lines.txt b/lines.txt && echo same; rsync absent b/ 2>&1 | head -1"),
    "python3, processes": ("python3", "python3", {"job.py": MULTIPROCESSING}, "python3 -B job.py"),
    "pdflatex": ("texlive-latex-base", "pdflatex", {"job.tex": LATEX},
                 "export FORCE_SOURCE_DATE=1; pdflatex -interaction=nonstopmode job.tex; echo $?; pdflatex -interaction=nonstopmode job.tex | tail -2; sha256sum job.pdf"),
    "qemu-user": ("qemu-user gcc", "qemu-x86_64 gcc", {"job.c": THREADS_SOURCE}, "gcc -static -O1 -o job job.c; qemu-x86_64 ./job; echo $?; gcc -O1 -o job job.c; qemu-x86_64 ./job; echo $?; rm job"),
    "erlang": ("erlang-base", "erl erlc", {"job.erl": ERLANG}, "erlc job.erl && erl -noshell -noinput -s job main; echo $?; rm job.beam"),
    "guile": ("guile-3.0", "guile", {"job.scm": GUILE}, "guile --no-auto-compile job.scm"),
    "sbcl": ("sbcl", "sbcl", {"job.lisp": SBCL}, "sbcl --noinform --no-sysinit --no-userinit --disable-debugger --load job.lisp 2>/dev/null"),
    "clisp": ("clisp", "clisp", {"job.lisp": LISP}, "clisp -q -norc job.lisp"),
    "chez scheme": ("chezscheme", "scheme", {"job.ss": CHEZ}, "scheme --script job.ss"),
    "ocaml": ("ocaml-nox gcc", "ocamlopt ocaml", {"job.ml": OCAML}, "ocaml job.ml; echo $?; ocamlopt -o job job.ml && ./job; echo $?; ocamlc -o job job.ml && ./job; s=$?; rm job*; exit $s"),
    "go": ("golang-go gcc", "go", {"job.go": GO}, "export GOCACHE=$PWD/cache GOPATH=$PWD/path GOFLAGS=-p=2 GO111MODULE=off; go vet job.go; go build -o job job.go && ./job; s=$?; gofmt -l job.go; rm -rf cache path job; exit $s"),
    "mono": ("mono-runtime mono-mcs libmono-system-core4.0-cil", "mono mcs", {"job.cs": CSHARP}, "mcs job.cs && mono job.exe; s=$?; rm job.exe; exit $s"),
    "swi-prolog": ("swi-prolog-nox", "swipl", {"job.pl": PROLOG}, "swipl -f none job.pl"),
    "gforth": ("gforth", "gforth", {"job.fs": ": fib dup 2 < if else dup 1- recurse swap 2 - recurse + then ; 20 fib . cr : t 1 throw ; ' t catch . cr s\" echo child\" system 0 (bye)\n"}, "gforth job.fs"),
    "fish": ("fish", "fish", {"job.fish": "function f; if test $argv[1] -lt 2; echo $argv[1]; else; math (f (math $argv[1] - 1)) + (f (math $argv[1] - 2)); end; end\nf 7\n"
                                          "for i in a b; echo $i; end | sort -r\nstring replace -r '(b)' '<$1>' abc\nfalse; echo $status\nexit 5\n"}, "fish --no-config job.fish"),
    "ksh": ("ksh", "ksh", {"job.sh": "function f { if (( $1 < 2 )); then print $1; else print $(( $(f $(($1-1))) + $(f $(($1-2))) )); fi; }\nf 8\ntrap 'print bye' EXIT\nprint a b | read x y; print $y\nsleep 0.1 & wait $!\nexit 5\n"}, "ksh job.sh"),
    "zsh": ("zsh", "zsh", {"job.sh": "f() { (( $1 < 2 )) && echo $1 || echo $(( $(f $(($1-1))) + $(f $(($1-2))) )) }\nf 7\necho ${(o)${(s: :):-c a b}}\nzmodload zsh/mathfunc; echo $(( int(sqrt(50)) ))\ncat <(echo x)\nTRAPEXIT() { echo bye }\nexit 5\n"}, "zsh -f job.sh"),
    "gap": ("gap-core", "gap", {"job.g": "Print(Size(SymmetricGroup(12)), \"\\n\"); Print(Factors(2^67-1), \"\\n\"); g := Group((1,2,3,4,5),(1,2)); Print(Length(ConjugacyClasses(g)), \"\\n\"); Error(\"x\");\n"},
            "gap -q -r -A --nointeract job.g 2>&1 < /dev/null"),
    "pari/gp": ("pari-gp", "gp", {"job.gp": "print(factor(2^128 + 1)); print(ellap(ellinit([0, 0, 1, -1, 0]), 10007)); print(polroots(x^3 - 2)[1]); print(parsum(i = 1, 1000, i^2)); iferr(1/0, e, print(e)); quit(4)\n"},
                "gp -q -f job.gp"),
    "octave, threads": ("octave", "octave-cli", {}, "OMP_NUM_THREADS=8 OPENBLAS_NUM_THREADS=8 octave-cli --quiet --no-history --eval 'a = mod(reshape(1:160000, 400, 400) * 7919, 97); b = a * a; disp(sum(b(:))); disp(round(norm(a \\ b - a) * 1000)); "
                                                    "disp(sum(sort(a(:))(1:999))); s = fft2(a); disp(round(abs(s(3, 4)) * 1000)); disp(cellfun(@numel, {1:3, 1:4}))'"),
    "ffmpeg, threads": ("ffmpeg", "ffmpeg", {}, "ffmpeg -v error -f lavfi -i testsrc=d=2:s=320x240:r=10 -f lavfi -i sine=d=2 -threads 4 -c:v libx264 -preset fast -c:a aac -flags +bitexact -fflags +bitexact out.mkv && "
                                                "ffmpeg -v error -threads 4 -i out.mkv -vf scale=80:60,hflip -f md5 -; ffprobe -v error -show_entries stream=codec_name,nb_read_frames -count_frames out.mkv"),
    "sox": ("sox", "sox", {}, "sox -R -n out.wav synth 2 sine 300-3000 reverb lowpass 800 && sox out.wav -n stat 2>&1; sox --multi-threaded out.wav -r 11025 -D out2.wav rate -v; sox absent out3.wav 2>/dev/null; echo $?"),
    "xvfb": ("xvfb x11-utils x11-apps", "Xvfb xwd", {}, "Xvfb -displayfd 3 -screen 0 320x200x24 -nolisten tcp -noreset 3>display >/dev/null 2>&1 & server=$!; for i in $(seq 300); do [ -s display ] && break; sleep 0.1; done; "
                                                        "export DISPLAY=:$(cat display); xlogo -geometry 200x150+10+10 & until xwininfo -name xlogo >/dev/null 2>&1; do sleep 0.1; done; sleep 1; xwininfo -name xlogo | grep -E 'Width|Height|Depth'; "
                                                        "xwd -root -silent | tail -c 250000 | sha256sum; xdpyinfo | grep -E 'dimensions|depths'; xprop -root -len 9 | wc -l; kill $!; kill $server; wait $server; echo $?; rm -f display"),
    "tmux": ("tmux", "tmux", {}, "t='tmux -S s -f /dev/null'; $t new-session -d -x 60 -y 10 'sh -c \"seq 3; tmux -S s wait-for -S ready; read x; echo got \\$x; tmux -S s wait-for -S ready; sleep 9\"'; "
                                 "$t wait-for ready; $t send-keys word Enter; $t wait-for ready; $t split-window -d 'sleep 9'; sleep 0.5; $t capture-pane -p; $t list-panes -F '#{pane_index} #{pane_width} #{pane_height}'; $t kill-server; sleep 0.3; rm -f s"),
    "screen": ("screen", "screen", {}, "export SCREENDIR=$PWD/d; mkdir -m 700 d; screen -c /dev/null -S x -dm sh -c 'seq 3; read x; echo got $x > got; sleep 9'; sleep 1; screen -S x -X stuff 'word^M'; "
                                       "for i in $(seq 100); do [ -s got ] && break; sleep 0.1; done; cat got; screen -ls | grep -c Detached; screen -S x -X hardcopy -h \"$PWD/hard\"; sleep 1; grep -c . hard; screen -S x -X quit; sleep 0.3; rm -rf d"),
    "expect": ("expect", "expect", {"job.exp": EXPECT}, "expect job.exp"),
    "ssh-keygen": ("openssh-client", "ssh-keygen", {"f": "text\n"}, "ssh-keygen -q -t ed25519 -N '' -f k; ssh-keygen -q -t rsa -b 2048 -N pass -f r; ssh-keygen -l -f r | cut -d' ' -f1; ssh-keygen -y -P '' -f r; ssh-keygen -q -Y sign -n file -f k f 2>/dev/null; "
                                                                   "ssh-keygen -Y check-novalidate -n file -s f.sig < f | cut -d' ' -f1-5; eval $(ssh-agent -a $PWD/s) >/dev/null; ssh-add -q k; ssh-add -l | cut -d' ' -f1; ssh-agent -k >/dev/null; rm -f k* r* f.sig"),
    "gpg": ("gnupg", "gpg", {}, "export GNUPGHOME=$PWD/g; mkdir -m 700 g; seq 999 > f; gpg -q --batch --passphrase '' --quick-gen-key a@b ed25519 2>/dev/null; gpg -q --batch --passphrase '' --quick-add-key $(gpg -q --list-keys --with-colons | awk -F: '/^fpr/{print $10; exit}') cv25519 2>/dev/null; "
                                "gpg -q --batch -s -o f.gpg f; gpg -q --batch --status-fd 1 --verify f.gpg 2>/dev/null | cut -d' ' -f2 | sort; gpg -q --batch -r a@b --trust-model always -e -o f.enc f; gpg -q --batch -d f.enc 2>/dev/null | cmp - f && echo same; "
                                "gpg -q --batch --passphrase x --pinentry-mode loopback -c -o f.sym f; gpg -q --batch --passphrase x --pinentry-mode loopback -d f.sym 2>/dev/null | sha256sum; gpg --print-md sha256 f; gpgconf --kill all; sleep 0.5; rm -rf g f.*"),
    "jq": ("jq", "jq", {}, "seq 1 3000 | jq -cs 'map({n: ., s: (. * . | tostring)}) | group_by(.n % 7) | map({k: .[0].n, t: (map(.n) | add)})'; echo '{\"a\": [1, {\"b\": null}]}' | jq -r 'paths | join(\"/\") | @base64'; echo '{' | jq .; echo '[1]' | jq -e '.[0] | error'"),
    "pandoc": ("pandoc", "pandoc", {"a.md": MARKDOWN}, "pandoc a.md | sha256sum; pandoc -t latex -s a.md | sha256sum; pandoc -t docx a.md -o a.docx && pandoc a.docx -t plain | tail -4; pandoc -t absent a.md"),
    "rsvg-convert": ("librsvg2-bin", "rsvg-convert", {"a.svg": SVG}, "rsvg-convert a.svg -o out.png; rsvg-convert -f pdf a.svg | wc -c; echo '<svg' | rsvg-convert"),
    "poppler": ("poppler-utils librsvg2-bin", "pdftoppm rsvg-convert", {"a.svg": SVG}, "rsvg-convert -f pdf a.svg -o a.pdf; pdftoppm -r 50 a.pdf out; pdfinfo a.pdf; pdftotext a.pdf -; pdftocairo -svg a.pdf - | wc -l; pdffonts absent.pdf"),
    "7z": ("p7zip-full", "7z", {}, LINES + "; 7z a -bd -mx=7 -mmt=2 a.7z lines.txt >/dev/null; 7z x -so a.7z | cmp - lines.txt && echo same; 7z l -slt a.7z | grep -E '^(Path|Size|CRC)'; 7z a -tzip -bd a.zip lines.txt >/dev/null; 7z t a.zip | tail -4; 7z x absent >/dev/null 2>&1; echo $?; rm a.7z a.zip"),
    "strace": ("strace gcc", "strace gcc", {"job.c": THREADS_SOURCE}, "gcc -O1 -o job job.c; strace -f -o log -e trace=write,exit_group ./job; echo $?; sed 's/^[0-9]* *//' log | grep -E 'write\\(1|exit'; strace -f -c -o log2 ./job | tail -1; grep -c clone3 log2; rm -f log* job"),
    "ltrace": ("ltrace gcc", "ltrace gcc", {"job.c": LEAK_SOURCE}, "gcc -no-pie -o job job.c; ltrace -o log ./job; echo $?; grep -cE '(malloc|free)\\(' log; rm -f log job"),
    "valgrind": ("valgrind gcc", "valgrind gcc", {"job.c": LEAK_SOURCE, "threads.c": THREADS_SOURCE}, "gcc -g -O0 -o job job.c; valgrind --leak-check=full --error-exitcode=9 --log-file=log ./job; echo $?; sed 's/^==[0-9]*== //' log | grep 'definitely lost'; "
                 "gcc -g -O0 -pthread -o job threads.c; valgrind -q --tool=helgrind --log-file=log ./job; echo $?; valgrind -q --tool=callgrind --callgrind-out-file=log ./job 2>/dev/null; echo $?; rm -f log job"),
    "gdb, breakpoints": ("gdb gcc", "gdb gcc", {"job.c": THREADS_SOURCE}, "gcc -g -O0 -o job job.c; gdb -q -batch -nx -ex 'set print thread-events off' -ex 'set debuginfod enabled off' -ex start -ex 'break puts' -ex continue -ex 'info symbol $pc' -ex kill ./job 2>&1 | grep -oE '^(Thread 1 .job. hit Breakpoint 2|puts|5|6|7).*|Inferior 1' | sed 's/0x[0-9a-f]*/ADDRESS/g'; rm job"),
    "cppcheck": ("cppcheck", "cppcheck", {"job.c": C_SOURCE + "int f(int *p) { int a[3]; if (!p) *p = 0; return a[3]; }\n"}, "cppcheck -q -j 2 --enable=all --suppress=missingIncludeSystem --error-exitcode=5 job.c"),
    "doxygen": ("doxygen graphviz", "doxygen", {"job.h": "/** Adds. @param a one @return sum */\nint add(int a);\n/** A thing. */ struct thing { int a; /**< Its a. */ };\n", "Doxyfile": "INPUT=job.h\nQUIET=YES\nGENERATE_LATEX=NO\nGENERATE_XML=YES\nNUM_PROC_THREADS=2\nTIMESTAMP=NO\nHTML_TIMESTAMP=NO\n"},
                "doxygen; sha256sum xml/job_8h.xml; ls html | wc -l"),
    "z3": ("z3", "z3", {"a.smt2": SMT}, "z3 a.smt2"),
    "stockfish": ("stockfish", "stockfish", {}, "stockfish bench 16 1 7 2>&1 | grep -E 'Nodes searched|bestmove' | tail -5"),
    "iverilog": ("iverilog", "iverilog vvp", {"a.v": VERILOG}, "iverilog -o a.vvp a.v && vvp -n a.vvp; rm a.vvp"),
    "glpk": ("glpk-utils", "glpsol", {"a.mod": GLPK}, "glpsol --math a.mod --cuts | grep -vE 'Time|Memory|memory'"),
    "nasm": ("nasm binutils", "nasm", {"a.asm": NASM}, "nasm -f elf64 -o a.o a.asm && sha256sum a.o; echo 'bad bad' > b.asm; nasm b.asm"),
    "socat": ("socat", "socat", {}, LINES + "; socat UNIX-LISTEN:s,fork EXEC:'sort -n' & until [ -S s ]; do sleep 0.1; done; for i in 1 2 3; do socat -t 30 - UNIX-CONNECT:s < lines.txt | sha256sum; done; socat - EXEC:'echo pty',pty; kill $!; wait; rm -f s"),
    "stress-ng": ("stress-ng", "stress-ng", {}, "for s in cpu switch pipe signal fork clone vm mmap sigsegv pthread context longjmp stack timer; do stress-ng --quiet --no-rand-seed --temp-path . --$s 1 --$s-ops 20 --timeout 20; echo $s $?; done"),
    "chromium": ("chromium", "chromium", {"a.html": PAGE}, "chromium --headless --no-sandbox --disable-gpu --no-first-run --user-data-dir=$PWD/u --virtual-time-budget=3000 --dump-dom file://$PWD/a.html 2>/dev/null; echo $?; rm -rf u"),
    "libreoffice": ("libreoffice-writer-nogui libreoffice-calc-nogui", "soffice", {"a.csv": "".join("%d,%d,=A%d*2\n" % (n, n * n % 17, n) for n in range(1, 50)), "a.html": "<h1>Title</h1><p>text <b>bold</b></p>"},
                    "soffice -env:UserInstallation=file://$PWD/u --headless --convert-to txt:Text a.html 2>/dev/null; cat a.txt; soffice -env:UserInstallation=file://$PWD/u --headless --convert-to html a.csv >/dev/null 2>&1; grep -c '<td' a.html; rm -rf u a.html"),
}
JOBS.update(server_jobs.JOBS)
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
    environment = dict(os.environ, PATH=PATH, LC_ALL="C.UTF-8", HOME=top, XDG_CONFIG_HOME=top, SOURCE_DATE_EPOCH="0", TZ="UTC",
                       OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    process = subprocess.Popen(prefix + ["sh", "-c", script], cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        out, err = process.communicate(timeout=LIMIT)
        status = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        status = "no end"
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


# While packages are installed, servers among them are not started.
POLICY = "/usr/sbin/policy-rc.d"
INSTALL = """export DEBIAN_FRONTEND=noninteractive
if [ ! -e %s ]; then printf '#!/bin/sh\\nexit 101\\n' > %s; chmod +x %s; trap 'rm -f %s' EXIT; fi
apt-get update && apt-get install -y --no-install-recommends "$@"
""" % (POLICY, POLICY, POLICY, POLICY)


def install(names):
    packages = sorted({package for name in names for package in JOBS[name][0].split()})
    as_root = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run(as_root + ["sh", "-c", INSTALL, "sh"] + packages, check=True)


def not_installed(names):
    return [name for name in names if not all(shutil.which(program, path=PATH) for program in JOBS[name][1].split())]


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
    parser.add_argument("--only-install", action="store_true", help="install them and run nothing")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--verbose", action="store_true", help="show what differs")
    parser.add_argument("names", nargs="*", metavar="NAME")
    arguments = parser.parse_args()
    arguments.difftrace = os.path.abspath(arguments.difftrace)
    names = arguments.names or list(JOBS)
    absent = not_installed(names)
    if (arguments.install or arguments.only_install) and absent:
        install(absent)
        absent = not_installed(absent)
    if arguments.only_install:
        return 1 if absent else 0
    print("| program | behaviour | untraced, CPU s | traced, CPU s |\n|---|---|---|---|" if arguments.markdown else
          "%-16s %-40s %8s %8s" % ("program", "behaviour", "untraced", "traced"))
    failed = 0
    with tempfile.TemporaryDirectory(prefix="difftrace-programs-") as top:
        os.chmod(top, 0o711)  # for servers that become another user
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
