"""Programs whose skeletons are made: our own, compiled here with each MPI, and public ones that bench/public-programs has compiled."""
import os
import shutil
import subprocess

LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe"], "mpich": ["mpirun.mpich"]}
HERE = os.path.dirname(os.path.abspath(__file__))
CORPUS, INPUTS = os.path.join(HERE, "faults", "apps"), os.path.join(HERE, "faults", "inputs")
LIMIT = int(os.environ.get("DT_BENCH_LIMIT", "600"))  # seconds

# Name, numbers of ranks, arguments: of the build ({work} is a folder of its own) ...
BUILT = [("oddeven", (8,), ()), ("ilcs-tsp", (4,), ("--cities", "60", "--searches", "1", "--patience", "2")), ("mpi-zoo", (4,), ("{work}",)),
         ("mpi-requests", (2,), ("{work}",)), ("mpi-persistent", (4,), ()), ("mpi-deadlock", (4,), ("none",)), ("fortran-mpif", (4,), ()), ("fortran-use_mpi", (4,), ())]
# ... of the corpus ...
OF_CORPUS = [("stencil2d.c", (4, 16, 64), ()), ("halo3d.c", (8,), ()), ("farm.c", (6,), ()), ("pipeline.c", (4,), ()), ("transpose.c", (4,), ()),
             ("window.c", (4,), ()), ("fft.c", (8,), ()), ("cg.c", (8,), ()), ("samplesort.c", (8,), ()), ("particles.c", (8,), ()), ("lu.c", (8,), ()),
             ("service.c", (4,), ()), ("sensors.c", (4,), ()), ("multigrid.c", (8,), ()), ("solver.c", (4,), ("--", "--input", INPUTS + "/solver.txt")),
             ("assembly.c", (4,), ("--", "--mesh", INPUTS + "/assembly.txt")), ("network.c", (4,), ("--", "-r", INPUTS + "/network.txt")),
             ("hydro.cc", (8,), ()), ("sweep.cc", (8,), ()), ("bfs.cc", (4,), ()), ("ocean.cc", (4,), ("--", "--config", INPUTS + "/ocean.txt")),
             ("ensemble.cc", (4,), ("--", "--settings=" + INPUTS + "/ensemble.txt")), ("heat.f90", (8,), ())]
# ... and public ones.
AMR = "--num_refine 2 --max_blocks 600 --npx 2 --npy 2 --npz 2 --nx 4 --ny 4 --nz 4 --num_objects 1 " \
      "--object 2 0 -1.1 -1.1 -1.1 0.03 0.03 0.03 1.5 1.5 1.5 0 0 0 --num_tsteps 4 --checksum_freq 2 --stages_per_ts 4"
COMD = "-x 12 -y 12 -z 12 -i 2 -j 2 -k 2 -N 20 -d {sources}/CoMD/pots"
SNAP = "{work}/in {work}/out"
PUBLIC = [("hpccg", (8,), "8 8 8"), ("lulesh", (8,), "-s 4 -i 10"), ("miniamr", (8,), AMR), ("comd", (8,), COMD), ("minimd", (4,), "-i {sources}/miniMD/ref/in.lj.miniMD -n 20 -s 4"),
          ("pennant", (4,), "{sources}/PENNANT/test/nohsmall/nohsmall.pnt"), ("amg", (8,), "-P 2 2 2 -n 6 6 6"), ("minife", (8,), "-nx 10 -ny 10 -nz 10"),
          ("quicksilver", (4,), "-I 2 -J 2 -K 1 -n 400 -N 3"), ("snap", (4,), SNAP), ("cloverleaf", (4,), ""),
          ("npb-cg-8", (8,), ""), ("npb-mg-8", (8,), ""), ("npb-ft-8", (8,), ""), ("npb-is-8", (8,), ""), ("npb-ep-8", (8,), ""), ("npb-lu-4", (4,), ""),
          ("npb-bt-9", (9,), ""), ("npb-sp-9", (9,), ""), ("npb-cg-16", (16,), "")]
COMPILERS = {".c": ("mpicc", "-std=gnu17 -fopenmp -pthread"), ".cc": ("mpicxx", "-fopenmp"), ".f90": ("mpif90", "")}


class Program:
    def __init__(self, name, ranks, arguments, kind):
        self.source, self.ranks, self.arguments, self.kind = name, ranks, arguments, kind
        self.name = os.path.splitext(name)[0]

    def path(self, mpi, options, work):
        """Where it is, compiled if it has to be; None: it is not there."""
        suffix = {"openmpi": "", "mpich": ".mpich"}[mpi]
        if self.kind == "built":
            paths = [os.path.join(options.build, folder, self.name + suffix) for folder in ("examples", "tests/apps")]
        elif self.kind == "public":
            paths = [os.path.join(options.public or "", self.name + "." + mpi)] if options.public else []
        else:
            paths = [self.compiled(mpi, work)]
        return next((path for path in paths if path and os.path.exists(path)), None)

    def compiled(self, mpi, work):
        compiler, flags = COMPILERS[os.path.splitext(self.source)[1]]
        path, compiler = os.path.join(work, self.name + "." + mpi), compiler + "." + mpi
        if not os.path.exists(path) and shutil.which(compiler):
            sources = [os.path.join(CORPUS, self.source)] + ([os.path.join(CORPUS, "smoother.c")] if self.name == "multigrid" else [])
            subprocess.run([compiler, "-g", "-O1", "-w", *flags.split(), "-o", path, *sources, "-lm"], check=True, cwd=work)
        return path

    def given(self, options, work):
        """Its arguments, in a folder of its own."""
        words = self.arguments.split() if isinstance(self.arguments, str) else self.arguments
        if self.name == "snap":
            with open(os.path.join(options.sources, "SNAP/qasnap/sample/inp"), encoding="ascii") as file:
                text = file.read()
            with open(os.path.join(work, "in"), "w", encoding="ascii") as file:
                file.write(text.replace("nthreads=2", "nthreads=1").replace("nnested=1", "nnested=0"))
        if self.name == "cloverleaf":
            with open(os.path.join(work, "clover.in"), "w", encoding="ascii") as file:
                file.write("*clover\n state 1 density=0.2 energy=1.0\n state 2 density=1.0 energy=2.5 geometry=rectangle xmin=0.0 xmax=5.0 ymin=0.0 ymax=2.0\n"
                           " x_cells=24\n y_cells=24\n xmin=0.0\n ymin=0.0\n xmax=10.0\n ymax=10.0\n initial_timestep=0.04\n timestep_rise=1.5\n"
                           " max_timestep=0.04\n end_step=10\n test_problem 1\n*endclover\n")
        return [word.format(work=work, sources=options.sources) for word in words]


def programs(options):
    """Those asked for by name; all without names."""
    every = [Program(*row, kind) for rows, kind in ((BUILT, "built"), (OF_CORPUS, "corpus"), (PUBLIC, "public")) for row in rows]
    if unknown := set(options.programs) - {program.name for program in every}:
        raise SystemExit("bench/skeleton: no program %s; there are %s" % (", ".join(sorted(unknown)), " ".join(each.name for each in every)))
    return [program for program in every if not options.programs or program.name in options.programs]


def launch(mpi, ranks):
    root = ["--allow-run-as-root"] if mpi == "openmpi" and os.getuid() == 0 else []
    return [*LAUNCHERS[mpi], *root, "-n", str(ranks)]


def record(difftrace, run, command, folder, **more):
    """Of a command with its launcher, in a folder of its own; what it said if it failed, else None."""
    shutil.rmtree(run, ignore_errors=True)
    environment = dict(os.environ, OMPI_MCA_mpi_yield_when_idle="1", OMP_NUM_THREADS="1", **more)
    try:
        result = subprocess.run([difftrace, "collect", "-q", "--images", "main", "-o", run, "--", *command], cwd=folder, env=environment,
                                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return "no end after %d s" % LIMIT
    return None if result.returncode == 0 else "status %d: %s" % (result.returncode, result.stdout[-300:].decode(errors="replace"))
