"""The sweep in parallel: a comparison's result does not depend on the number of threads, byte by byte."""

import os
import shutil
import subprocess

from e2e_support import EndToEnd, contents, environment, main

SYNTH = os.environ["DIFFTRACE_SYNTH"]
SHAPE = ("--ranks", "20", "--threads", "2", "--classes", "9", "--events", "2000")


class Threads(EndToEnd):
    def setUp(self):
        super().setUp()
        for name, more in (("normal", ()), ("faulty", ("--noise", "0.05", "--fault", "5"))):
            subprocess.run([SYNTH, *SHAPE, *more, "-o", self.path(name)], check=True, timeout=120)

    def result(self, threads, arguments):
        answer = self.difftrace("compare", *arguments, cwd=self.folder, env=environment(OMP_NUM_THREADS=str(threads)))
        files = contents(self.path("difftrace.out"))
        shutil.rmtree(self.path("difftrace.out"))
        return answer.stdout, answer.stderr, files

    def test_same_result(self):
        for arguments in (("normal", "faulty"), ("faulty", "--filter", "all", "--linkage", "centroid")):
            expected = self.result(1, arguments)
            self.assertIn("report.html", expected[2])
            for threads in (2, 3, 8):
                with self.subTest(threads=threads, arguments=arguments):
                    self.assertEqual(self.result(threads, arguments), expected)


if __name__ == "__main__":
    main()
