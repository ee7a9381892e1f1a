#!/usr/bin/env python3
"""A cluster of namespaces on one machine, for tests. Needs root, iproute2 and util-linux; nothing of it is left when it ends.

    nodes.py up FOLDER COUNT [--share PATH]... [--clock-step SECONDS]
        Makes the nodes n1 ... nCOUNT, prints "ready", and ends them when its standard input is closed or a signal comes.
    nodes.py rsh FOLDER [OPTION...] HOST COMMAND...
        Runs a shell command there, as rsh and ssh do; FOLDER/rsh does that without naming the folder, for launchers.

A node is a set of namespaces: net (eth0 has the address 10.77.0.K, on a bridge), mount (a /tmp, /var/tmp, /dev/shm, /run and
FOLDER/local of its own), uts, ipc, pid and, with --clock-step, time: the monotonic clock of each node is so many seconds before
that of the node before. FOLDER and the paths given by --share are the same on all nodes. Process 1 of a node
is a server that runs commands: whatever it runs is no descendant of who asked for it, and has nothing of its environment.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time

NAMESPACES = ["--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc"]
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "USER": "root",
               "LOGNAME": "root", "SHELL": "/bin/sh", "LC_ALL": "C.UTF-8"}
OWN_PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run")
START_SECONDS = 20
RSH_OPTIONS_WITH_VALUE = ("-l", "-p", "-o", "-i")


def run(*command, **options):
    subprocess.run(command, check=True, **options)


def wait_until(condition, what):
    end = time.monotonic() + START_SECONDS
    while not condition():
        if time.monotonic() > end:
            sys.exit("nodes.py: %s: not after %d s" % (what, START_SECONDS))
        time.sleep(0.01)


def socket_of(folder, host):
    return os.path.join(folder, host + ".socket")


# ---- a node -----------------------------------------------------------------------------------

def mount_own_places(shared):
    """The shared paths are held while what they may be in is covered, and are bound into it then."""
    held = [(path, os.open(path, os.O_PATH)) for path in sorted(shared, key=len)]
    for place in OWN_PLACES:
        run("mount", "-t", "tmpfs", "-o", "size=1g,mode=1777", "tmpfs", place)
    for path, descriptor in held:
        if not os.path.exists(path):
            os.makedirs(path)
            run("mount", "--no-canonicalize", "--bind", "/proc/self/fd/%d" % descriptor, path, pass_fds=[descriptor])
        os.close(descriptor)


def receive(connection):
    """The request, and the descriptors of the standard streams that come with it."""
    message, descriptors, _, _ = socket.recv_fds(connection, 1 << 16, 3)
    while not message.endswith(b"\n"):
        more = connection.recv(1 << 16)
        if not more:
            break
        message += more
    return json.loads(message), descriptors


def serve(connection):
    request, descriptors = receive(connection)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    process = subprocess.Popen(["/bin/sh", "-c", request], stdin=descriptors[0], stdout=descriptors[1],
                               stderr=descriptors[2], env=ENVIRONMENT, cwd="/", start_new_session=True)
    for descriptor in descriptors:
        os.close(descriptor)
    status = process.wait()
    connection.sendall(b"%d\n" % (status if status >= 0 else 128 - status))


def be_node(folder, name, shared):
    """Process 1 of a node, in its namespaces."""
    mount_own_places(shared)
    run("mount", "-t", "tmpfs", "-o", "size=1g", "tmpfs", os.path.join(folder, "local"))
    run("mount", "--bind", os.path.join(folder, "hosts"), "/etc/hosts")
    socket.sethostname(name)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(socket_of(folder, name))
    listener.listen(64)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            try:
                serve(connection)
            finally:
                os._exit(0)
        connection.close()


# ---- the cluster ------------------------------------------------------------------------------

def address_of(number):
    return "10.77.0.%d" % number


def child_of(process):
    """Process 1 of the node that `unshare` has made; None: not yet."""
    with open("/proc/%d/task/%d/children" % (process, process)) as file:
        children = file.read().split()
    return children[0] if children else None


def connect(number, process):
    """Gives the node its network; it is the child of `process`."""
    node = child_of(process)
    run("ip", "link", "add", "port%d" % number, "type", "veth", "peer", "name", "eth0", "netns", node)
    run("ip", "link", "set", "port%d" % number, "master", "bridge", "up")
    for line in ("addr add %s/24 dev eth0" % address_of(number), "link set eth0 up", "link set lo up"):
        run("nsenter", "-t", node, "--net", "ip", *line.split())


def start_node(folder, number, shared, clock_step):
    name = "n%d" % number
    clock = ["--time", "--monotonic", str(number * clock_step), "--boottime", str(number * clock_step)] if clock_step else []
    command = ["setpriv", "--pdeathsig", "KILL", "unshare", *NAMESPACES, *clock, sys.executable, "-E", "-S", os.path.abspath(__file__),
               "node", folder, name, *shared]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, env=ENVIRONMENT)
    wait_until(lambda: os.path.exists(socket_of(folder, name)) or process.poll() is not None, name)
    if process.poll() is not None:
        sys.exit("nodes.py: %s has not started" % name)
    return process


def write_files(folder, count):
    os.makedirs(os.path.join(folder, "local"), exist_ok=True)
    with open(os.path.join(folder, "hosts"), "w") as file:
        file.write("127.0.0.1 localhost\n")
        for number in range(1, count + 1):
            file.write("%s n%d\n" % (address_of(number), number))
    agent = os.path.join(folder, "rsh")
    with open(agent, "w") as file:
        file.write('#!/bin/sh\nexec %s -E -S %s rsh %s "$@"\n' % (sys.executable, os.path.abspath(__file__), folder))
    os.chmod(agent, 0o755)


def be_cluster(folder, count, shared, clock_step):
    """In namespaces of our own: the bridge and its ports go when we do."""
    write_files(folder, count)
    for arguments in ("add bridge type bridge", "set bridge up"):
        run("ip", "link", *arguments.split())
    processes = []
    try:
        for number in range(1, count + 1):
            processes.append(start_node(folder, number, shared, clock_step))
            connect(number, processes[-1].pid)
        print("ready", flush=True)
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: sys.exit(0))
        while os.read(0, 4096):
            pass
    finally:
        for process in processes:
            process.kill()  # and process 1 of the node by --kill-child, and with it all others there
        for process in processes:
            process.wait()


# ---- rsh --------------------------------------------------------------------------------------

def rsh(folder, arguments):
    while arguments and arguments[0].startswith("-"):
        arguments = arguments[2:] if arguments[0] in RSH_OPTIONS_WITH_VALUE else arguments[1:]
    host, command = arguments[0], " ".join(arguments[1:])
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(socket_of(folder, host))
    socket.send_fds(connection, [json.dumps(command).encode() + b"\n"], [0, 1, 2])
    answer = connection.makefile().readline()
    return int(answer) if answer else 255


def main():
    action, folder = sys.argv[1], os.path.realpath(sys.argv[2])
    if action == "rsh":
        sys.exit(rsh(folder, sys.argv[3:]))
    if action == "node":
        be_node(folder, sys.argv[3], sys.argv[4:])
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("action", choices=["up", "cluster"])
    parser.add_argument("folder")
    parser.add_argument("count", type=int)
    parser.add_argument("--share", action="append", default=[])
    parser.add_argument("--clock-step", type=int, default=0)
    options = parser.parse_args()
    if action == "up":
        os.execvp("unshare", ["unshare", "--net", "--mount", sys.executable, os.path.abspath(__file__), "cluster", *sys.argv[2:]])
    be_cluster(folder, options.count, [os.path.realpath(path) for path in options.share] + [folder], options.clock_step)


if __name__ == "__main__":
    main()
