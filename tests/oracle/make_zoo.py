#!/usr/bin/env python3
"""Writes a program that makes every call that an mpi.h declares, on 4 ranks: make_zoo.py MPICC > zoo.c. Calls that are alike
are made from the names of their parameters; the others are below. `make_zoo.py MPICC --left-out` says which it does not make."""

import re
import sys

from mpi_header import mpi_functions

# What cannot be called here, and why.
LEFT_OUT = {
    "Abort": "ends the program", "Comm_accept": "needs another program", "Comm_connect": "needs another program",
    "Comm_join": "needs a socket", "Comm_spawn": "starts programs", "Comm_spawn_multiple": "starts programs",
    "Init": "Init_thread was called", "Open_port": "needs a name server", "Close_port": "needs a name server",
    "Publish_name": "needs a name server", "Lookup_name": "needs a name server", "Unpublish_name": "needs a name server",
    "Register_datarep": "not every MPI can", "Pcontrol": "has no fixed parameters",
    "Comm_create_from_group": "of sessions, which take no arguments", "Intercomm_create_from_groups": "the same",
    "Session_call_errhandler": "the same", "Group_from_session_pset": "the same"}
QUIET = re.compile(r"_(c2f|f2c|f2f08|f082f|c2f08|f082c)$")
COLLECTIVES = re.compile(r"^(I|Neighbor_|Ineighbor_)?(allgatherv?|alltoall[vw]?|barrier|bcast|exscan|gatherv?|reduce|reduce_scatter|"
                         r"reduce_scatter_block|allreduce|scan|scatterv?)(_init)?(_c)?$", re.IGNORECASE)
SENDS = re.compile(r"^(I?)([BRS]?)send(_init)?(_c)?$", re.IGNORECASE)
RMA = re.compile(r"^R?(put|get|accumulate|get_accumulate)(_c)?$|^(Fetch_and_op|Compare_and_swap)$", re.IGNORECASE)
FILES = re.compile(r"^File_i?(read|write)(_at|_all|_at_all|_shared|_ordered)*(_begin)?(_c)?$")
VALUES = {
    "sendbuf": "from", "recvbuf": "to", "ibuf": "from", "mpi_fh": "file", "buffer": "to", "buf": "to", "inbuf": "from", "inoutbuf": "to", "sendcount": "1", "recvcount": "1", "target_cout": "2",
    "count": "3", "sendtype": "MPI_INT", "recvtype": "MPI_INT", "datatype": "MPI_INT", "root": "1", "op": "MPI_SUM", "comm": "comm",
    "info": "MPI_INFO_NULL", "request": "&request", "status": "&status", "sendtypes": "types", "recvtypes": "types", "dest": "0", "tag": "7",
    "source": "0", "sendtag": "7", "recvtag": "7", "origin_addr": "from", "result_addr": "to", "compare_addr": "more", "origin_count": "2",
    "origin_datatype": "MPI_INT", "result_count": "2", "result_datatype": "MPI_INT", "target_rank": "right", "target_disp": "4",
    "target_count": "2", "target_datatype": "MPI_INT", "win": "window", "fh": "file", "offset": "16 * rank", "stag": "7", "rtag": "7"}

BY_HAND = {
    "Recv": "MPI_Isend(from, 3, MPI_INT, 0, 7, MPI_COMM_SELF, &request); MPI_Recv(to, 3, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &status); MPI_Wait(&request, &status);",
    "Recv_c": "MPI_Isend(from, 3, MPI_INT, 0, 7, MPI_COMM_SELF, &request); MPI_Recv_c(to, 3, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, MPI_STATUS_IGNORE); MPI_Wait(&request, &status);",
    "Irecv": "", "Irecv_c": "MPI_Irecv_c(to, 3, MPI_INT, 0, 7, MPI_COMM_SELF, &request); MPI_Send(from, 3, MPI_INT, 0, 7, MPI_COMM_SELF); MPI_Wait(&request, &status);",
    "Recv_init": "MPI_Recv_init(to, 3, MPI_INT, 0, 7, MPI_COMM_SELF, &request); MPI_Start(&request); MPI_Send(from, 3, MPI_INT, 0, 7, MPI_COMM_SELF); MPI_Wait(&request, &status); MPI_Request_free(&request);",
    "Recv_init_c": "MPI_Recv_init_c(to, 3, MPI_INT, 0, 7, MPI_COMM_SELF, &request); MPI_Startall(1, &request); MPI_Send(from, 3, MPI_INT, 0, 7, MPI_COMM_SELF); MPI_Wait(&request, &status); MPI_Request_free(&request);",
    "Isendrecv": "MPI_Isendrecv(from, 3, MPI_INT, right, 7, to, 3, MPI_INT, left, 7, MPI_COMM_WORLD, &request); MPI_Wait(&request, &status);",
    "Isendrecv_c": "MPI_Isendrecv_c(from, 3, MPI_INT, right, 7, to, 3, MPI_INT, left, 7, MPI_COMM_WORLD, &request); MPI_Wait(&request, &status);",
    "Isendrecv_replace": "MPI_Isendrecv_replace(to, 3, MPI_INT, right, 7, left, 7, MPI_COMM_WORLD, &request); MPI_Wait(&request, &status);",
    "Isendrecv_replace_c": "MPI_Isendrecv_replace_c(to, 3, MPI_INT, right, 7, left, 7, MPI_COMM_WORLD, &request); MPI_Wait(&request, &status);",
    "Sendrecv": "MPI_Sendrecv(from, 3, MPI_INT, right, 7, to, 12, MPI_CHAR, left, 7, MPI_COMM_WORLD, &status);",
    "Sendrecv_c": "MPI_Sendrecv_c(from, 3, MPI_INT, right, 7, to, 12, MPI_CHAR, left, 7, MPI_COMM_WORLD, &status);",
    "Sendrecv_replace": "MPI_Sendrecv_replace(to, 3, MPI_INT, right, 7, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    "Sendrecv_replace_c": "MPI_Sendrecv_replace_c(to, 3, MPI_INT, right, 7, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);",
    "Probe": "MPI_Isend(from, 3, MPI_INT, 0, 9, MPI_COMM_SELF, &request); MPI_Probe(MPI_ANY_SOURCE, 9, MPI_COMM_SELF, &status); MPI_Recv(to, 3, MPI_INT, 0, 9, MPI_COMM_SELF, MPI_STATUS_IGNORE); MPI_Wait(&request, &status);",
    "Iprobe": "MPI_Iprobe(0, 11, MPI_COMM_SELF, &flag, &status);",
    "Mprobe": "MPI_Isend(from, 3, MPI_INT, 0, 9, MPI_COMM_SELF, &request); MPI_Mprobe(0, MPI_ANY_TAG, MPI_COMM_SELF, &message, &status); MPI_Mrecv(to, 3, MPI_INT, &message, &status); MPI_Wait(&request, &status);",
    "Mrecv": "", "Mrecv_c": "MPI_Isend(from, 3, MPI_INT, 0, 9, MPI_COMM_SELF, &request); MPI_Mprobe(0, 9, MPI_COMM_SELF, &message, &status); MPI_Mrecv_c(to, 3, MPI_INT, &message, &status); MPI_Wait(&request, &status);",
    "Improbe": "MPI_Improbe(0, 12, MPI_COMM_SELF, &flag, &message, &status);",
    "Imrecv": "MPI_Isend(from, 3, MPI_INT, 0, 9, MPI_COMM_SELF, &request); MPI_Mprobe(0, 9, MPI_COMM_SELF, &message, &status); MPI_Imrecv(to, 3, MPI_INT, &message, &requests[0]); MPI_Wait(&requests[0], &status); MPI_Wait(&request, &status);",
    "Imrecv_c": "MPI_Isend(from, 3, MPI_INT, 0, 9, MPI_COMM_SELF, &request); MPI_Mprobe(0, 9, MPI_COMM_SELF, &message, &status); MPI_Imrecv_c(to, 3, MPI_INT, &message, &requests[0]); MPI_Wait(&requests[0], &status); MPI_Wait(&request, &status);",
    "Waitall": "two(); MPI_Waitall(2, requests, statuses);", "Waitany": "two(); MPI_Waitany(2, requests, &index, &status); MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
    "Waitsome": "two(); MPI_Waitsome(2, requests, &some, indices, statuses); MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
    "Testall": "two(); flag = 0; while (!flag) MPI_Testall(2, requests, &flag, statuses);",
    "Testany": "two(); flag = 0; while (!flag) MPI_Testany(2, requests, &index, &flag, &status); MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
    "Testsome": "two(); MPI_Testsome(2, requests, &some, indices, statuses); MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
    "Test": "two(); flag = 0; while (!flag) MPI_Test(&requests[0], &flag, &status); MPI_Wait(&requests[1], &status);",
    "Wait": "", "Start": "", "Startall": "MPI_Send_init(from, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[0]); MPI_Recv_init(to, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &requests[1]); MPI_Startall(2, requests); MPI_Waitall(2, requests, statuses); MPI_Request_free(&requests[1]); MPI_Request_free(&requests[0]);",
    "Request_free": "", "Cancel": "MPI_Irecv(to, 1, MPI_INT, 0, 30, MPI_COMM_SELF, &request); MPI_Cancel(&request); MPI_Wait(&request, &status); MPI_Test_cancelled(&status, &flag);",
    "Test_cancelled": "", "Request_get_status": "two(); MPI_Request_get_status(requests[0], &flag, &status); MPI_Waitall(2, requests, statuses);",
    "Get_count": "MPI_Sendrecv(from, 3, MPI_INT, 0, 7, to, 3, MPI_INT, 0, 7, MPI_COMM_SELF, &status); MPI_Get_count(&status, MPI_INT, &number);",
    "Get_count_c": "MPI_Get_count_c(&status, MPI_INT, &large);", "Get_elements": "MPI_Get_elements(&status, MPI_INT, &number);",
    "Get_elements_c": "MPI_Get_elements_c(&status, MPI_INT, &large);", "Get_elements_x": "MPI_Get_elements_x(&status, MPI_INT, &large);",
    "Status_set_cancelled": "MPI_Status_set_cancelled(&status, 0);", "Status_set_elements": "MPI_Status_set_elements(&status, MPI_INT, 1);",
    "Status_set_elements_x": "MPI_Status_set_elements_x(&status, MPI_INT, 1);",
    "Grequest_start": "MPI_Grequest_start(query, release, cancelled, NULL, &request); MPI_Grequest_complete(request); MPI_Wait(&request, &status);", "Grequest_complete": "",
    "Psend_init": "MPI_Psend_init(from, 2, 1, MPI_INT, right, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]); MPI_Precv_init(to, 2, 1, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]); MPI_Startall(2, requests); MPI_Pready(0, requests[0]); MPI_Pready_list(1, (int[]){1}, requests[0]); MPI_Waitall(2, requests, statuses); MPI_Start(&requests[1]); MPI_Start(&requests[0]); MPI_Pready_range(0, 1, requests[0]); MPI_Parrived(requests[1], 0, &flag); MPI_Waitall(2, requests, statuses); MPI_Request_free(&requests[0]); MPI_Request_free(&requests[1]);",
    "Precv_init": "", "Pready": "", "Pready_list": "", "Pready_range": "", "Parrived": "",
    "Buffer_attach": "", "Buffer_detach": "",
    "Buffer_attach_c": "MPI_Buffer_detach(&pointer, &number); MPI_Buffer_attach_c(attached, sizeof attached);", "Buffer_detach_c": "MPI_Buffer_detach_c(&pointer, &large); MPI_Buffer_attach(attached, sizeof attached);",
    "Reduce_local": "MPI_Reduce_local(from, to, 3, MPI_INT, MPI_MAX);", "Reduce_local_c": "MPI_Reduce_local_c(from, to, 3, MPI_INT, MPI_MAX);",
    "Pack": "number = 0; MPI_Pack(from, 3, MPI_INT, packed, 200, &number, MPI_COMM_WORLD);", "Pack_c": "large = 0; MPI_Pack_c(from, 3, MPI_INT, packed, 200, &large, MPI_COMM_WORLD);",
    "Unpack": "number = 0; MPI_Unpack(packed, 200, &number, to, 3, MPI_INT, MPI_COMM_WORLD);", "Unpack_c": "large = 0; MPI_Unpack_c(packed, 200, &large, to, 3, MPI_INT, MPI_COMM_WORLD);",
    "Pack_size": "MPI_Pack_size(3, MPI_INT, MPI_COMM_WORLD, &number);", "Pack_size_c": "MPI_Pack_size_c(3, MPI_INT, MPI_COMM_WORLD, &large);",
    "Pack_external": 'address = 0; MPI_Pack_external("external32", from, 3, MPI_INT, packed, 200, &address);', "Pack_external_c": 'large = 0; MPI_Pack_external_c("external32", from, 3, MPI_INT, packed, 200, &large);',
    "Unpack_external": 'address = 0; MPI_Unpack_external("external32", packed, 200, &address, to, 3, MPI_INT);', "Unpack_external_c": 'large = 0; MPI_Unpack_external_c("external32", packed, 200, &large, to, 3, MPI_INT);',
    "Pack_external_size": 'MPI_Pack_external_size("external32", 3, MPI_INT, &address);', "Pack_external_size_c": 'MPI_Pack_external_size_c("external32", 3, MPI_INT, &large);',
    # Communicators, groups, topologies.
    "Comm_rank": "MPI_Comm_rank(MPI_COMM_WORLD, &number);", "Comm_size": "MPI_Comm_size(MPI_COMM_SELF, &number);",
    "Comm_dup": "MPI_Comm_dup(MPI_COMM_WORLD, &other); MPI_Barrier(other); MPI_Comm_free(&other);",
    "Comm_dup_with_info": "MPI_Comm_dup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &other); MPI_Comm_disconnect(&other);", "Comm_free": "", "Comm_disconnect": "",
    "Comm_idup": "MPI_Comm_idup(MPI_COMM_WORLD, &other, &request); MPI_Wait(&request, &status); MPI_Barrier(other); MPI_Comm_free(&other);",
    "Comm_idup_with_info": "MPI_Comm_idup_with_info(MPI_COMM_WORLD, MPI_INFO_NULL, &other, &request); MPI_Wait(&request, &status); MPI_Comm_free(&other);",
    "Comm_split": "MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &other); MPI_Barrier(other); MPI_Comm_free(&other); MPI_Comm_split(MPI_COMM_WORLD, rank ? MPI_UNDEFINED : 3, 0, &other); if (!rank) MPI_Comm_free(&other);",
    "Comm_split_type": "MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &other); MPI_Comm_free(&other);",
    "Comm_group": "MPI_Comm_group(MPI_COMM_WORLD, &group);", "Comm_create": "MPI_Comm_group(MPI_COMM_WORLD, &group); MPI_Comm_create(MPI_COMM_WORLD, group, &other); MPI_Comm_free(&other); MPI_Group_free(&group);",
    "Comm_create_group": "MPI_Comm_group(MPI_COMM_WORLD, &group); MPI_Comm_create_group(MPI_COMM_WORLD, group, 5, &other); MPI_Comm_free(&other); MPI_Group_free(&group);",
    "Comm_compare": "MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_SELF, &number);", "Comm_test_inter": "MPI_Comm_test_inter(MPI_COMM_WORLD, &flag);",
    "Comm_set_name": 'MPI_Comm_set_name(MPI_COMM_SELF, "self");', "Comm_get_name": "MPI_Comm_get_name(MPI_COMM_SELF, text, &number);",
    "Comm_set_info": "MPI_Comm_dup(MPI_COMM_WORLD, &other); MPI_Info_create(&info); MPI_Comm_set_info(other, info); MPI_Info_free(&info); MPI_Comm_free(&other);",
    "Comm_get_info": "MPI_Comm_get_info(MPI_COMM_WORLD, &info); MPI_Info_free(&info);", "Comm_get_parent": "MPI_Comm_get_parent(&other);",
    "Intercomm_create": "MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half); MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 21, &other); MPI_Comm_remote_size(other, &number); MPI_Comm_remote_group(other, &group); MPI_Group_free(&group); MPI_Intercomm_merge(other, rank % 2, &merged); MPI_Barrier(merged); MPI_Barrier(other); MPI_Comm_free(&merged); MPI_Comm_free(&other); MPI_Comm_free(&half);",
    "Comm_remote_size": "", "Comm_remote_group": "", "Intercomm_merge": "",
    "Group_incl": "world_group(); MPI_Group_incl(group, 2, (int[]){1, 3}, &second); MPI_Group_free(&second); MPI_Group_free(&group);",
    "Group_excl": "world_group(); MPI_Group_excl(group, 2, (int[]){1, 3}, &second); MPI_Group_free(&second); MPI_Group_free(&group);",
    "Group_range_incl": "world_group(); MPI_Group_range_incl(group, 1, (int[][3]){{0, 3, 2}}, &second); MPI_Group_free(&second); MPI_Group_free(&group);",
    "Group_range_excl": "world_group(); MPI_Group_range_excl(group, 1, (int[][3]){{0, 3, 2}}, &second); MPI_Group_free(&second); MPI_Group_free(&group);",
    "Group_union": "world_group(); MPI_Group_union(group, MPI_GROUP_EMPTY, &second); MPI_Group_free(&second); MPI_Group_free(&group);",
    "Group_intersection": "world_group(); MPI_Group_intersection(group, group, &second); MPI_Group_free(&second); MPI_Group_free(&group);",
    "Group_difference": "world_group(); MPI_Group_difference(group, MPI_GROUP_EMPTY, &second); MPI_Group_free(&second); MPI_Group_free(&group);",
    "Group_rank": "world_group(); MPI_Group_rank(group, &number); MPI_Group_size(group, &number); MPI_Group_compare(group, group, &number); MPI_Group_translate_ranks(group, 1, (int[]){1}, group, &number); MPI_Group_free(&group);",
    "Group_size": "", "Group_compare": "", "Group_translate_ranks": "", "Group_free": "",
    "Cart_create": "MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 0}, 0, &other); MPI_Cart_sub(other, (int[]){1, 0}, &half); MPI_Comm_free(&half); MPI_Cart_coords(other, 3, 2, pair); MPI_Cart_rank(other, pair, &number); MPI_Cart_shift(other, 0, -1, &number, &some); MPI_Cartdim_get(other, &number); MPI_Cart_get(other, 2, pair, indices, indices + 2); MPI_Topo_test(other, &number); MPI_Comm_free(&other);",
    "Cart_sub": "", "Cart_coords": "", "Cart_rank": "", "Cart_shift": "", "Cartdim_get": "", "Cart_get": "", "Topo_test": "",
    "Cart_map": "MPI_Cart_map(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, &number);", "Dims_create": "pair[0] = pair[1] = 0; MPI_Dims_create(4, 2, pair);",
    "Graph_create": "MPI_Graph_create(MPI_COMM_WORLD, 4, (int[]){1, 2, 3, 4}, (int[]){1, 0, 3, 2}, 0, &other); MPI_Graph_get(other, 4, 4, indices, indices + 4); MPI_Graphdims_get(other, &number, &some); MPI_Graph_neighbors_count(other, rank, &number); MPI_Graph_neighbors(other, rank, 1, &number); MPI_Comm_free(&other);",
    "Graph_get": "", "Graphdims_get": "", "Graph_neighbors_count": "", "Graph_neighbors": "", "Graph_map": "MPI_Graph_map(MPI_COMM_WORLD, 4, (int[]){1, 2, 3, 4}, (int[]){1, 0, 3, 2}, &number);",
    "Dist_graph_create": "MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, (int[]){2}, (int[]){left, right}, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &other); MPI_Comm_free(&other);",
    "Dist_graph_create_adjacent": "MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &left, MPI_UNWEIGHTED, 1, &right, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &other); MPI_Dist_graph_neighbors_count(other, &number, &some, &flag); MPI_Dist_graph_neighbors(other, 1, &number, MPI_UNWEIGHTED, 1, &some, MPI_UNWEIGHTED); MPI_Comm_free(&other);",
    "Dist_graph_neighbors_count": "", "Dist_graph_neighbors": "",
    # Windows.
    "Win_create": "MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &second_window); MPI_Win_free(&second_window);", "Win_free": "",
    "Win_create_c": "MPI_Win_create_c(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &second_window); MPI_Win_free(&second_window);",
    "Win_allocate": "MPI_Win_allocate(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &pointer, &second_window); MPI_Win_free(&second_window);",
    "Win_allocate_c": "MPI_Win_allocate_c(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &pointer, &second_window); MPI_Win_free(&second_window);",
    "Win_allocate_shared": "MPI_Win_allocate_shared(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &pointer, &second_window); MPI_Win_shared_query(second_window, 0, &address, &number, &pointer); MPI_Win_free(&second_window);", "Win_shared_query": "",
    "Win_allocate_shared_c": "MPI_Win_allocate_shared_c(64, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &pointer, &second_window); MPI_Win_shared_query_c(second_window, 0, &address, &second_address, &pointer); MPI_Win_free(&second_window);", "Win_shared_query_c": "",
    "Win_create_dynamic": "MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &second_window); MPI_Win_attach(second_window, memory, 64); MPI_Win_detach(second_window, memory); MPI_Win_free(&second_window);", "Win_attach": "", "Win_detach": "",
    "Win_fence": "MPI_Win_fence(MPI_MODE_NOPRECEDE, window); MPI_Win_fence(MPI_MODE_NOSUCCEED, window);",
    "Win_lock": "MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window); MPI_Win_flush(right, window); MPI_Win_flush_local(right, window); MPI_Win_flush_all(window); MPI_Win_flush_local_all(window); MPI_Win_sync(window); MPI_Win_unlock(right, window); MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window); MPI_Win_unlock(right, window);",
    "Win_flush": "", "Win_flush_all": "", "Win_flush_local": "", "Win_flush_local_all": "", "Win_sync": "", "Win_unlock": "", "Win_lock_all": "", "Win_unlock_all": "",
    "Win_post": "world_group(); MPI_Group_incl(group, 1, &left, &second); MPI_Win_post(second, 0, window); MPI_Group_free(&second); MPI_Group_incl(group, 1, &right, &second); MPI_Win_start(second, 0, window); MPI_Win_complete(window); MPI_Win_wait(window); MPI_Win_post(MPI_GROUP_EMPTY, 0, window); flag = 0; while (!flag) MPI_Win_test(window, &flag); MPI_Group_free(&second); MPI_Group_free(&group);",
    "Win_start": "", "Win_complete": "", "Win_wait": "", "Win_test": "",
    "Win_get_group": "MPI_Win_get_group(window, &group); MPI_Group_free(&group);", "Win_set_name": 'MPI_Win_set_name(window, "w");', "Win_get_name": "MPI_Win_get_name(window, text, &number);",
    "Win_set_info": "MPI_Win_get_info(window, &info); MPI_Win_set_info(window, info); MPI_Info_free(&info);", "Win_get_info": "",
    # Files.
    "File_open": "", "File_close": "", "File_sync": "MPI_File_sync(file);", "File_seek": "MPI_File_seek(file, 8, MPI_SEEK_SET); MPI_File_seek(file, 8, MPI_SEEK_CUR); MPI_File_seek(file, 0, MPI_SEEK_END);",
    "File_seek_shared": "MPI_File_seek_shared(file, 16, MPI_SEEK_SET);", "File_set_view": 'MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL);',
    "File_get_view": "MPI_File_get_view(file, &offset, &type, &second_type, text);", "File_set_size": "MPI_File_set_size(file, 4096);", "File_preallocate": "MPI_File_preallocate(file, 8192);",
    "File_get_size": "MPI_File_get_size(file, &offset);", "File_get_position": "MPI_File_get_position(file, &offset);", "File_get_position_shared": "MPI_File_get_position_shared(file, &offset);",
    "File_get_byte_offset": "MPI_File_get_byte_offset(file, 4, &offset);", "File_get_amode": "MPI_File_get_amode(file, &number);", "File_get_atomicity": "MPI_File_get_atomicity(file, &flag);",
    "File_set_atomicity": "MPI_File_set_atomicity(file, 1); MPI_File_set_atomicity(file, 0);", "File_get_group": "MPI_File_get_group(file, &group); MPI_Group_free(&group);",
    "File_get_info": "MPI_File_get_info(file, &info); MPI_File_set_info(file, info); MPI_Info_free(&info);", "File_set_info": "", "File_get_type_extent": "MPI_File_get_type_extent(file, MPI_INT, &address);",
    "File_get_type_extent_c": "MPI_File_get_type_extent_c(file, MPI_INT, &large);", "File_delete": "",
    # Types.
    "Type_contiguous": "MPI_Type_contiguous(3, MPI_INT, &type); MPI_Type_commit(&type); MPI_Type_set_name(type, \"t\"); MPI_Type_get_name(type, text, &number); MPI_Type_dup(type, &second_type); MPI_Type_free(&second_type); MPI_Type_free(&type);",
    "Type_commit": "", "Type_set_name": "", "Type_get_name": "", "Type_dup": "", "Type_free": "",
    "Type_contiguous_c": "MPI_Type_contiguous_c(3, MPI_INT, &type); use_type();",
    "Type_vector": "MPI_Type_vector(3, 2, 5, MPI_INT, &type); use_type();", "Type_vector_c": "MPI_Type_vector_c(3, 2, 5, MPI_INT, &type); use_type();",
    "Type_create_hvector": "MPI_Type_create_hvector(3, 2, 40, MPI_INT, &type); use_type();", "Type_create_hvector_c": "MPI_Type_create_hvector_c(3, 2, 40, MPI_INT, &type); use_type();",
    "Type_indexed": "MPI_Type_indexed(2, (int[]){1, 2}, (int[]){0, 3}, MPI_INT, &type); use_type();", "Type_indexed_c": "MPI_Type_indexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){0, 3}, MPI_INT, &type); use_type();",
    "Type_create_hindexed": "MPI_Type_create_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){0, 12}, MPI_INT, &type); use_type();", "Type_create_hindexed_c": "MPI_Type_create_hindexed_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){0, 12}, MPI_INT, &type); use_type();",
    "Type_create_indexed_block": "MPI_Type_create_indexed_block(2, 2, (int[]){0, 3}, MPI_INT, &type); use_type();", "Type_create_indexed_block_c": "MPI_Type_create_indexed_block_c(2, 2, (MPI_Count[]){0, 3}, MPI_INT, &type); use_type();",
    "Type_create_hindexed_block": "MPI_Type_create_hindexed_block(2, 2, (MPI_Aint[]){0, 12}, MPI_INT, &type); use_type();", "Type_create_hindexed_block_c": "MPI_Type_create_hindexed_block_c(2, 2, (MPI_Count[]){0, 12}, MPI_INT, &type); use_type();",
    "Type_create_struct": "MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type); use_type();", "Type_create_struct_c": "MPI_Type_create_struct_c(2, (MPI_Count[]){1, 2}, (MPI_Count[]){0, 8}, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &type); use_type();",
    "Type_create_subarray": "MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 2}, (int[]){1, 1}, MPI_ORDER_C, MPI_INT, &type); use_type();", "Type_create_subarray_c": "MPI_Type_create_subarray_c(2, (MPI_Count[]){4, 4}, (MPI_Count[]){2, 2}, (MPI_Count[]){1, 1}, MPI_ORDER_C, MPI_INT, &type); use_type();",
    "Type_create_darray": "MPI_Type_create_darray(4, rank, 1, (int[]){8}, (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){4}, MPI_ORDER_C, MPI_INT, &type); use_type();", "Type_create_darray_c": "MPI_Type_create_darray_c(4, rank, 1, (MPI_Count[]){8}, (int[]){MPI_DISTRIBUTE_BLOCK}, (int[]){MPI_DISTRIBUTE_DFLT_DARG}, (int[]){4}, MPI_ORDER_C, MPI_INT, &type); use_type();",
    "Type_create_resized": "MPI_Type_create_resized(MPI_INT, 0, 16, &type); use_type();", "Type_create_resized_c": "MPI_Type_create_resized_c(MPI_INT, 0, 16, &type); use_type();",
    "Type_create_f90_integer": "MPI_Type_create_f90_integer(5, &type);", "Type_create_f90_real": "MPI_Type_create_f90_real(5, 5, &type);", "Type_create_f90_complex": "MPI_Type_create_f90_complex(5, 5, &type);",
    "Type_match_size": "MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, &type);",
    "Type_get_envelope": "MPI_Type_vector(3, 2, 5, MPI_INT, &type); MPI_Type_get_envelope(type, &number, &some, &index, &flag); MPI_Type_get_contents(type, 3, 0, 1, indices, NULL, &second_type); MPI_Type_free(&type);", "Type_get_contents": "",
    "Type_get_envelope_c": "MPI_Type_vector_c(3, 2, 5, MPI_INT, &type); MPI_Type_get_envelope_c(type, &large, larges, larges + 1, larges + 2, &flag); MPI_Type_get_contents_c(type, (MPI_Count)large, larges[0], larges[1], larges[2], indices, NULL, larges + 4, &second_type); MPI_Type_free(&type);", "Type_get_contents_c": "",
    "Type_size": "MPI_Type_size(MPI_INT, &number);", "Type_size_c": "MPI_Type_size_c(MPI_INT, &large);", "Type_size_x": "MPI_Type_size_x(MPI_INT, &large);",
    "Type_get_extent": "MPI_Type_get_extent(MPI_INT, &address, &second_address);", "Type_get_extent_c": "MPI_Type_get_extent_c(MPI_INT, &large, larges);", "Type_get_extent_x": "MPI_Type_get_extent_x(MPI_INT, &large, larges);",
    "Type_get_true_extent": "MPI_Type_get_true_extent(MPI_INT, &address, &second_address);", "Type_get_true_extent_c": "MPI_Type_get_true_extent_c(MPI_INT, &large, larges);", "Type_get_true_extent_x": "MPI_Type_get_true_extent_x(MPI_INT, &large, larges);",
    "Type_extent": "MPI_Type_extent(MPI_INT, &address);", "Type_lb": "MPI_Type_lb(MPI_INT, &address);", "Type_ub": "MPI_Type_ub(MPI_INT, &address);",
    "Type_hvector": "MPI_Type_hvector(3, 2, 40, MPI_INT, &type); use_type();", "Type_hindexed": "MPI_Type_hindexed(2, (int[]){1, 2}, (MPI_Aint[]){0, 12}, MPI_INT, &type); use_type();", "Type_struct": "MPI_Type_struct(1, (int[]){1}, (MPI_Aint[]){0}, (MPI_Datatype[]){MPI_INT}, &type); use_type();",
    # Operations, attributes, errors, infos, the rest.
    "Op_create": "MPI_Op_create(combine, 1, &operation); MPI_Op_commutative(operation, &flag); MPI_Allreduce(from, to, 1, MPI_INT, operation, MPI_COMM_WORLD); MPI_Op_free(&operation);", "Op_commutative": "", "Op_free": "",
    "Op_create_c": "MPI_Op_create_c(combine_c, 1, &operation); MPI_Op_free(&operation);",
    "Comm_create_keyval": "MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL); MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL); MPI_Comm_get_attr(MPI_COMM_SELF, key, &pointer, &flag); MPI_Comm_delete_attr(MPI_COMM_SELF, key); MPI_Comm_free_keyval(&key);", "Comm_set_attr": "", "Comm_get_attr": "", "Comm_delete_attr": "", "Comm_free_keyval": "",
    "Type_create_keyval": "MPI_Type_dup(MPI_INT, &type); MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL); MPI_Type_set_attr(type, key, NULL); MPI_Type_get_attr(type, key, &pointer, &flag); MPI_Type_delete_attr(type, key); MPI_Type_free_keyval(&key); MPI_Type_free(&type);", "Type_set_attr": "", "Type_get_attr": "", "Type_delete_attr": "", "Type_free_keyval": "",
    "Win_create_keyval": "MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key, NULL); MPI_Win_set_attr(window, key, NULL); MPI_Win_get_attr(window, key, &pointer, &flag); MPI_Win_delete_attr(window, key); MPI_Win_free_keyval(&key);", "Win_set_attr": "", "Win_get_attr": "", "Win_delete_attr": "", "Win_free_keyval": "",
    "Keyval_create": "MPI_Keyval_create(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, &key, NULL); MPI_Attr_put(MPI_COMM_SELF, key, NULL); MPI_Attr_get(MPI_COMM_SELF, key, &pointer, &flag); MPI_Attr_delete(MPI_COMM_SELF, key); MPI_Keyval_free(&key);", "Attr_put": "", "Attr_get": "", "Attr_delete": "", "Keyval_free": "",
    "Comm_create_errhandler": "MPI_Comm_create_errhandler(on_comm_error, &handler); MPI_Comm_dup(MPI_COMM_SELF, &other); MPI_Comm_set_errhandler(other, handler); MPI_Comm_get_errhandler(other, &second_handler); MPI_Comm_call_errhandler(other, MPI_ERR_OTHER); MPI_Errhandler_free(&second_handler); MPI_Errhandler_free(&handler); MPI_Comm_free(&other);", "Comm_set_errhandler": "", "Comm_get_errhandler": "", "Comm_call_errhandler": "", "Errhandler_free": "",
    "Win_create_errhandler": "MPI_Win_create_errhandler(on_win_error, &handler); MPI_Win_get_errhandler(window, &second_handler); MPI_Win_set_errhandler(window, handler); MPI_Win_call_errhandler(window, MPI_ERR_OTHER); MPI_Win_set_errhandler(window, second_handler); MPI_Errhandler_free(&handler);", "Win_get_errhandler": "", "Win_set_errhandler": "", "Win_call_errhandler": "",
    "File_create_errhandler": "MPI_File_create_errhandler(on_file_error, &handler); MPI_File_get_errhandler(file, &second_handler); MPI_File_set_errhandler(file, handler); MPI_File_call_errhandler(file, MPI_ERR_OTHER); MPI_File_set_errhandler(file, second_handler); MPI_Errhandler_free(&handler);", "File_get_errhandler": "", "File_set_errhandler": "", "File_call_errhandler": "",
    "Session_create_errhandler": "MPI_Session_create_errhandler(on_session_error, &handler); MPI_Errhandler_free(&handler);",
    "Errhandler_create": "MPI_Errhandler_create(on_comm_error, &handler); MPI_Comm_dup(MPI_COMM_SELF, &other); MPI_Errhandler_set(other, handler); MPI_Errhandler_get(other, &second_handler); MPI_Comm_free(&other);", "Errhandler_set": "", "Errhandler_get": "",
    "Error_class": "MPI_Error_class(MPI_ERR_RANK, &number); MPI_Error_string(MPI_ERR_RANK, long_text, &number);", "Error_string": "",
    "Add_error_class": 'MPI_Add_error_class(&number); MPI_Add_error_code(number, &some); MPI_Add_error_string(some, "own");', "Add_error_code": "", "Add_error_string": "",
    "Info_create": 'MPI_Info_create(&info); MPI_Info_set(info, "a", "b"); MPI_Info_get(info, "a", 10, text, &flag); MPI_Info_get_nkeys(info, &number); MPI_Info_get_nthkey(info, 0, text); MPI_Info_get_valuelen(info, "a", &number, &flag); MPI_Info_dup(info, &second_info); MPI_Info_delete(info, "a"); MPI_Info_free(&second_info); MPI_Info_free(&info);',
    "Info_set": "", "Info_get": "", "Info_get_nkeys": "", "Info_get_nthkey": "", "Info_get_valuelen": "", "Info_dup": "", "Info_delete": "", "Info_free": "",
    "Info_create_env": "MPI_Info_create_env(argc, argv, &info); MPI_Info_free(&info);", "Info_get_string": 'MPI_Info_create(&info); number = 20; MPI_Info_get_string(info, "a", &number, text, &flag); MPI_Info_free(&info);',
    "Alloc_mem": "MPI_Alloc_mem(64, MPI_INFO_NULL, &pointer); MPI_Free_mem(pointer);", "Free_mem": "", "Get_address": "MPI_Get_address(from, &address);", "Address": "MPI_Address(from, &address);",
    "Aint_add": "address = MPI_Aint_add(address, 4);", "Aint_diff": "address = MPI_Aint_diff(address, address);", "Wtime": "time = MPI_Wtime();", "Wtick": "time = MPI_Wtick();",
    "Initialized": "MPI_Initialized(&flag);", "Finalized": "MPI_Finalized(&flag);", "Init_thread": "", "Finalize": "", "Query_thread": "MPI_Query_thread(&number);", "Is_thread_main": "MPI_Is_thread_main(&flag);",
    "Get_processor_name": "MPI_Get_processor_name(text, &number);", "Get_version": "MPI_Get_version(&number, &some);", "Get_library_version": "MPI_Get_library_version(very_long_text, &number);",
    "Session_init": "MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session); MPI_Session_get_num_psets(session, MPI_INFO_NULL, &number); number = 100; MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &number, text); MPI_Session_get_pset_info(session, text, &info); MPI_Info_free(&info); MPI_Session_get_info(session, &info); MPI_Info_free(&info); MPI_Session_get_errhandler(session, &handler); MPI_Session_set_errhandler(session, handler); MPI_Errhandler_free(&handler); MPI_Session_finalize(&session);",
    "Session_get_num_psets": "", "Session_get_nth_pset": "", "Session_get_pset_info": "", "Session_get_info": "", "Session_get_errhandler": "", "Session_set_errhandler": "", "Session_finalize": ""}

HEAD = r"""
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int from[64], to[64], more[64], memory[64], indices[64], pair[2], rank, size, left, right, number, some, flag, index, key;
static char packed[200], text[4096], long_text[4096], very_long_text[1 << 16], attached[1 << 16];
static MPI_Comm mesh, other, half, merged;
static MPI_Win window, second_window;
static MPI_File file;
static MPI_Request request, requests[2];
static MPI_Status status, statuses[2];
static MPI_Message message;
static MPI_Group group, second;
static MPI_Datatype type, second_type, types[] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
static MPI_Op operation;
static MPI_Info info, second_info;
static MPI_Errhandler handler, second_handler;
static MPI_Aint address, second_address;
static MPI_Count large, larges[8];
static MPI_Offset offset;
static void *pointer;
static double time;
static int ones[] = {1, 1, 1, 1}, places[] = {0, 1, 2, 3};
static MPI_Count large_ones[] = {1, 1, 1, 1};
static MPI_Aint wide_places[] = {0, 4, 8, 12}, large_places[] = {0, 1, 2, 3};

static void combine(void *in, void *inout, int *length, MPI_Datatype *of) { (void)in; (void)inout; (void)length; (void)of; }
static int query(void *state, MPI_Status *of) { (void)state; of->MPI_SOURCE = of->MPI_TAG = 0; return MPI_SUCCESS; }
static int release(void *state) { (void)state; return MPI_SUCCESS; }
static int cancelled(void *state, int complete) { (void)state; (void)complete; return MPI_SUCCESS; }
static void on_comm_error(MPI_Comm *of, int *code, ...) { (void)of; (void)code; }
static void on_win_error(MPI_Win *of, int *code, ...) { (void)of; (void)code; }
static void on_file_error(MPI_File *of, int *code, ...) { (void)of; (void)code; }
static void two(void) { MPI_Isend(from, 3, MPI_INT, 0, 8, MPI_COMM_SELF, &requests[0]); MPI_Irecv(to, 3, MPI_INT, 0, 8, MPI_COMM_SELF, &requests[1]); }
static void world_group(void) { MPI_Comm_group(MPI_COMM_WORLD, &group); }
static void use_type(void) { MPI_Type_commit(&type); MPI_Sendrecv(from, 1, type, 0, 8, to, 1, type, 0, 8, MPI_COMM_SELF, &status); MPI_Type_free(&type); }
"""


def value(name, declared, called):
    if called == "fh" or called == "mpi_fh":
        return "file"
    if called in ("sendcounts", "recvcounts"):
        return "large_ones" if "MPI_Count" in declared else "ones"
    if called in ("sdispls", "rdispls", "displs"):
        return "wide_places" if "MPI_Aint" in declared and "lltoallw" in name else "large_places" if "MPI_Aint" in declared else "places"
    return VALUES[called]


def call(name, parameters):
    return "MPI_%s(%s);" % (name, ", ".join(value(name, declared, called) for declared, _, called in parameters))


def collective(name, parameters):
    lines = ["comm = %s;" % ("mesh" if "eighbor" in name else "MPI_COMM_WORLD"), call(name, parameters)]
    if "_init" in name:
        lines += ["MPI_Start(&request);", "MPI_Wait(&request, &status);", "MPI_Request_free(&request);"]
    elif name[0] == "I":
        lines.append("MPI_Wait(&request, &status);")
    return lines


def send(name, parameters):
    lines = ["comm = MPI_COMM_SELF;", "MPI_Irecv(to, 3, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_SELF, &requests[0]);",
             call(name, parameters).replace("(to,", "(from,")]
    if "_init" in name:
        lines += ["MPI_Start(&request);", "MPI_Wait(&request, &status);", "MPI_Request_free(&request);"]
    elif name[0] == "I":
        lines.append("MPI_Wait(&request, MPI_STATUS_IGNORE);")
    return lines + ["MPI_Wait(&requests[0], &status);"]


def file_call(name, parameters):
    lines = [call(name, parameters)]
    if "_begin" in name:
        lines.append("MPI_%s(file, to, &status);" % name.removesuffix("_c").replace("_begin", "_end"))
    elif name.startswith("File_i"):
        lines.append("MPI_Wait(&request, &status);")
    return lines


def rma(name, parameters):
    return [call(name, parameters)] + (["MPI_Wait(&request, &status);"] if name[0] == "R" else [])


def lines_of(name, parameters):
    """None: it is not made."""
    if name in BY_HAND:
        return [BY_HAND[name]]
    if COLLECTIVES.match(name):
        return collective(name, parameters)
    if SENDS.match(name):
        return send(name, parameters)
    if FILES.match(name):
        return file_call(name, parameters)
    if re.match(r"^File_(read|write).*_end$", name):
        return []
    return None


def zoo_functions(compiler):
    return {name: parameters for name, (_, parameters) in mpi_functions(compiler).items() if not QUIET.search(name) and name[:2] != "T_"}


def calls_of(compiler):
    """The calls that mpi.h declares, but for those of tools (MPI_T_*), and those that are not recorded."""
    return set(zoo_functions(compiler))


def main():
    functions = zoo_functions(sys.argv[1])
    missing = [name for name, parameters in functions.items() if lines_of(name, parameters) is None and not RMA.match(name)]
    if "--left-out" in sys.argv:
        print("\n".join(sorted(missing)))
        return
    print(HEAD)
    if "Op_create_c" in functions:
        print("static MPI_Session session;\nstatic void combine_c(void *in, void *inout, MPI_Count *length, MPI_Datatype *of) { (void)in; (void)inout; (void)length; (void)of; }\n"
              "static void on_session_error(MPI_Session *of, int *code, ...) { (void)of; (void)code; }")
    print("int main(int argc, char **argv)\n{\n    MPI_Comm comm;\n    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &number);\n"
          "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n    MPI_Comm_size(MPI_COMM_WORLD, &size);\n    if (size != 4 || argc < 2)\n        return 2;\n"
          "    left = (rank + 3) % 4;\n    right = (rank + 1) % 4;\n    MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &mesh);\n"
          "    MPI_Win_create(memory, sizeof memory, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &window);\n"
          "    MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);\n    MPI_File_write_at(file, 4096 * rank, text, sizeof text, MPI_CHAR, &status);\n    MPI_Barrier(MPI_COMM_WORLD);\n    MPI_Buffer_attach(attached, sizeof attached);\n")
    for name, parameters in sorted(functions.items()):
        for line in lines_of(name, parameters) or []:
            if line:
                print("    " + line)
    print("    MPI_Win_lock_all(0, window);")
    for name, parameters in sorted(functions.items()):
        if RMA.match(name):
            print("    " + "\n    ".join(rma(name, parameters)) + "\n    MPI_Win_flush_all(window);")
    print("    MPI_Win_unlock_all(window);\n    MPI_Buffer_detach(&pointer, &number);\n    MPI_File_close(&file);\n    if (rank == 0)\n"
          "        MPI_File_delete(argv[1], MPI_INFO_NULL);\n    MPI_Win_free(&window);\n    MPI_Comm_free(&mesh);\n    MPI_Finalize();\n    return 0;\n}")


if __name__ == "__main__":
    main()
