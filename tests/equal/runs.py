"""The recorded runs that two builds are asked about: real programs, with and without faults."""

import os

MPIRUN = ["mpirun", "--oversubscribe", "--allow-run-as-root", "-n"]


def recorded_runs(build):
    """(name, options of collect, command) of each run, by the programs of a build."""
    def app(name, *arguments):
        return [os.path.join(build, "tests", "apps", name), *arguments]

    def ranks(count, folder, name, *arguments):
        return [*MPIRUN, str(count), os.path.join(build, *folder, name), *arguments]

    def example(count, *arguments):
        return ranks(count, ["examples"], *arguments)

    def mpi_app(count, *arguments):
        return ranks(count, ["tests", "apps"], *arguments)

    hung = ["--timeout", "4"]
    return [("oddeven", [], example(4, "oddeven", "--bug", "none")),
            ("oddeven-again", ["--images", "main"], example(4, "oddeven", "--bug", "none")),
            ("oddeven-swap", [], example(4, "oddeven", "--bug", "swap", "--rank", "1", "--after", "2")),
            ("oddeven-deadlock", hung, example(4, "oddeven", "--bug", "dl", "--rank", "1", "--after", "2")),
            ("oddeven-names", ["--mpi-args", "off"], example(4, "oddeven", "--bug", "none")),
            ("ilcs", [], example(2, "ilcs-tsp", "--workers", "2")),
            ("deadlock", hung, mpi_app(3, "mpi-deadlock", "cycle")),
            ("early-end", [], mpi_app(3, "mpi-early-end", "init")),
            ("arguments", [], mpi_app(4, "mpi-arguments", ".")),
            ("fortran", [], mpi_app(3, "fortran-use_mpi")),
            ("openmp", [], app("openmp")),
            ("openmp-llvm", [], app("openmp-llvm")),
            ("pthreads", [], app("pthreads")),
            ("locks", [], app("locks")),
            ("threads", ["--codec", "raw"], app("threads", "together", "3", "2000")),
            ("fork", [], app("forkexec")),
            ("crash", [], app("signals", "crash")),
            ("exceptions", ["--images", "all"], app("throws")),
            ("bounded", ["--max-size", "256k", "--when-full", "keep-last"], app("threads", "together", "2", "20000")),
            ("switched", ["--start-at", "^during$", "--clock"], app("switching"))]


COMPARED = [("oddeven", "oddeven-again"), ("oddeven", "oddeven-swap"), ("oddeven", "oddeven-deadlock"),
            ("oddeven-names", "oddeven-swap"), ("openmp", "openmp-llvm"), ("threads", "bounded"), (None, "ilcs")]
