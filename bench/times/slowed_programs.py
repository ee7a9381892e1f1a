"""Programs of the fault corpus, two of whose functions work for some milliseconds (slowed.h): for bench/times/differential."""
import collections
import os
import re
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
APPS = os.path.join(HERE, "..", "faults", "apps")
FLAGS = ["-g", "-O1", "-fno-inline", "-fopenmp", "-pthread", "-D_GNU_SOURCE", "-Wno-builtin-macro-redefined", "-I" + HERE, "-I" + APPS, "-include", "slowed.h"]

Slowed = collections.namedtuple("Slowed", "source function other arguments")
# The function that is to become slower, once an iteration; another one that works; arguments.
PROGRAMS = {
    "stencil2d": Slowed("stencil2d.c", "update_plate", "exchange_halo", ["--steps", "40"]),
    "halo3d": Slowed("halo3d.c", "move_wave", "check_wave", ["--steps", "40"]),
    "cg": Slowed("cg.c", "multiply", "turn_direction", ["--size", "200", "--steps", "40"]),
    "fft": Slowed("fft.c", "do_stage", "transform_locally", ["--steps", "20"]),
    "samplesort": Slowed("samplesort.c", "count_keys", "verify", ["--steps", "40"]),
    "particles": Slowed("particles.c", "move_particles", "add_up_charge", ["--steps", "40"]),
    "transpose": Slowed("transpose.c", "filter_rows", "transpose_matrix", ["--steps", "40"]),
    "lu": Slowed("lu.c", "update_rest", "solve_panels", ["--steps", "40"]),
    "window": Slowed("window.c", "update_cells", "put_edges", ["--steps", "40"]),
    "pipeline": Slowed("pipeline.c", "filter_block", "smooth_block", ["--steps", "40"]),
    "sweep": Slowed("sweep.cc", "Sweeper::sweep_all", "Sweeper::add_leakage", ["--steps", "40"]),
    "hydro": Slowed("hydro.cc", "CalcVelocityForNodes", "CalcPositionForNodes", ["--steps", "40"]),
}


def inject(text, function, call):
    """The program's text with a call at the begin of a function."""
    text, count = re.subn(r"(?m)(^[^\n;{}]*\b%s\([^\n;]*\)(?: const)?\n\{\n)" % function, r"\1    %s;\n" % call, text)
    if count != 1:
        raise ValueError("%s is defined %d times" % (function, count))
    return text


def build(folder, name):
    """The path of the program."""
    slowed, path = PROGRAMS[name], os.path.join(folder, name)
    with open(os.path.join(APPS, slowed.source), encoding="utf-8") as file:
        text = inject(inject(file.read(), slowed.function, "slowed(0)"), slowed.other, "slowed(1)")
    source = path + os.path.splitext(slowed.source)[1]
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    compiler = "mpicc.openmpi" if source.endswith(".c") else "mpicxx.openmpi"
    subprocess.run([compiler, *FLAGS, "-o", path, source, "-lm"], check=True)
    return path
