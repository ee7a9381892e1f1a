"""Spack's recipe. In a repository of your own: spack repo create R; mkdir R/packages/difftrace; copy this file there;
spack repo add R; then, where difftrace-0.1.0.tar.gz is, spack install difftrace. A checkout: spack dev-build."""

import os

from spack.package import *


class Difftrace(CMakePackage):
    """Finds the cause of bugs in parallel programs (MPI, OpenMP, pthreads) by comparing runs: traces every function
    call without recompiling, compares a run that is right with one that is not, and names the suspect."""

    manual_download = True
    url = "file://{0}/difftrace-0.1.0.tar.gz".format(os.getcwd())
    license("MIT")

    version("0.1.0")

    variant("mpi", default=True, description="Compare runs with the ranks of an MPI job")
    variant("otf2", default=False, description="Export to OTF2, and import from it")
    variant("simgrid", default=False, description="Simulate machines, with times")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.20:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("glib@2.70:")
    depends_on("pcre2")
    depends_on("json-glib")
    depends_on("zstd")
    depends_on("graphviz")
    depends_on("cairo+svg")
    depends_on("capstone libs=static", type="build")
    depends_on("elfutils")
    depends_on("otf2", when="+otf2")
    depends_on("simgrid", when="+simgrid")
    depends_on("mpi", when="+mpi")

    conflicts("platform=darwin")
    requires("target=x86_64:", msg="the tracer knows the x86-64 processor only")

    generator("ninja")

    def cmake_args(self):
        return [self.define("DT_TESTS", False)]
