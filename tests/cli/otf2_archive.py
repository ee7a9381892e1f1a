"""Archives of OTF2's made by hand with its own Python bindings, as Score-P makes them: another writer than difftrace's."""

import sys

import otf2
from otf2.enums import CollectiveOp, GroupType, LocationGroupType, LocationType, Paradigm, RegionRole


def write(path, ranks=3, steps=2, as_eztrace=False):
    """Ranks that send to the next one by MPI_Isend, receive by MPI_Irecv, wait, and call MPI_Allreduce and MPI_Bcast. EZTrace gives the
    group of locations and that of the ranks of MPI_COMM_WORLD one number."""
    with otf2.writer.open(path, timer_resolution=1000000) as archive:
        definitions = archive.definitions
        node = definitions.system_tree_node("node")
        region = {name: definitions.region(name, paradigm=Paradigm.MPI if name.startswith("MPI_") else Paradigm.COMPILER,
                                           region_role=RegionRole.FUNCTION)
                  for name in ("main", "step", "MPI_Init", "MPI_Isend", "MPI_Irecv", "MPI_Waitall", "MPI_Allreduce",
                               "MPI_Bcast", "MPI_Send", "MPI_Recv", "MPI_Finalize")}
        groups = [definitions.location_group("MPI Rank %d" % rank, system_tree_parent=node,
                                             location_group_type=LocationGroupType.PROCESS) for rank in range(ranks)]
        locations = [definitions.location("Master thread", group=group, type=LocationType.CPU_THREAD) for group in groups]
        master = definitions.group("", group_type=GroupType.COMM_LOCATIONS, paradigm=Paradigm.MPI, members=locations)
        all_ranks = definitions.group("", group_type=GroupType.COMM_GROUP, paradigm=Paradigm.MPI, members=range(ranks))
        if as_eztrace:
            all_ranks._ref = master._ref
        world = definitions.comm("MPI_COMM_WORLD", group=all_ranks)
        for rank, location in enumerate(locations):
            writer = archive.event_writer_from_location(location)
            clock = [100 + rank]

            def now():
                clock[0] += 10
                return clock[0]

            def call(name, *events):
                writer.enter(now(), region[name])
                for event, arguments in events:
                    getattr(writer, event)(now(), *arguments)
                writer.leave(now(), region[name])

            writer.enter(now(), region["main"])
            call("MPI_Init")
            for step in range(steps):
                right, left, request = (rank + 1) % ranks, (rank - 1) % ranks, 2 * step
                writer.enter(now(), region["step"])
                call("MPI_Irecv", ("mpi_irecv_request", (request,)))
                call("MPI_Isend", ("mpi_isend", (right, world, 5, 800, request + 1)))
                call("MPI_Waitall", ("mpi_irecv", (left, world, 5, 800, request)), ("mpi_isend_complete", (request + 1,)))
                call("MPI_Allreduce", ("mpi_collective_begin", ()), ("mpi_collective_end", (CollectiveOp.ALLREDUCE, world, 2**32 - 1, 16, 16)))
                call("MPI_Bcast", ("mpi_collective_begin", ()), ("mpi_collective_end", (CollectiveOp.BCAST, world, 1, 40, 40)))
                writer.leave(now(), region["step"])
            if rank == 0:
                call("MPI_Send", ("mpi_send", (ranks - 1, world, 9, 24)))
            if rank == ranks - 1:
                call("MPI_Recv", ("mpi_recv", (0, world, 9, 24)))
            call("MPI_Finalize")
            writer.leave(now(), region["main"])


if __name__ == "__main__":
    write(sys.argv[1])
