"""The nodes of nodes.py as tests use them: starting them, commands on them, Slurm, a network file system."""

import os
import shlex
import shutil
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON = "/usr/bin/python3"  # the agent starts in a tenth of the time that a wrapper of some version manager takes
NODES = 3
CORES = 4  # of each node, as launchers are told
START_SECONDS = 30

SLURM_CONF = """\
ClusterName=namespaces
SlurmctldHost=n1(10.77.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
StateSaveLocation=/tmp/slurmctld
SlurmdSpoolDir=/tmp/slurmd
SlurmctldPidFile=/run/slurmctld.pid
SlurmdPidFile=/run/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
KillWait=5
NodeName=n[1-{nodes}] NodeAddr=10.77.0.[1-{nodes}] CPUs={cores} State=UNKNOWN
PartitionName=all Nodes=n[1-{nodes}] Default=YES MaxTime=INFINITE State=UP
"""
START_MUNGE = """
mkdir -p /run/munge /tmp/slurmctld /tmp/slurmd &&
munged --force --key-file {folder}/munge.key --pid-file /run/munge/munged.pid --log-file /run/munge/munged.log \
    --seed-file /run/munge/seed >{folder}/munged-$(hostname).out 2>&1
"""


def missing():
    """Why there can be no nodes here, in a line; None: there can be."""
    if os.geteuid() != 0:
        return "nodes need root"
    for program in ("ip", "unshare", "setpriv", "nsenter", PYTHON):
        if not shutil.which(program):
            return "there is no " + program
    probe = "ip link add port type veth peer name eth0 && mount -t tmpfs tmpfs /run"
    result = subprocess.run(["unshare", "--net", "--mount", "--uts", "--ipc", "--pid", "--fork", "sh", "-c", probe],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if result.returncode == 0 else "namespaces with networks cannot be made: " + result.stdout.strip()


def has_slurm():
    return all(shutil.which(program) for program in ("slurmctld", "slurmd", "srun", "sbatch", "munged"))


def has_sshfs():
    return all(shutil.which(program) for program in ("sshfs", "socat")) and os.path.exists("/dev/fuse") and \
        os.path.exists("/usr/lib/openssh/sftp-server")


class Cluster:
    """Nodes n1 to n3 that share `folder` and the paths `shared`; stop() ends them and everything in them."""

    def __init__(self, folder, shared=(), count=NODES, clock_step=0):
        self.folder, self.count = folder, count
        self.hosts = ["n%d" % number for number in range(1, count + 1)]
        self.rsh = os.path.join(folder, "rsh")
        options = [word for path in shared for word in ("--share", path)] + ["--clock-step", str(clock_step)]
        self.server = subprocess.Popen([PYTHON, os.path.join(HERE, "nodes.py"), "up", folder, str(count), *options],
                                       stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.server.stdout.readline() != "ready\n":
            self.stop()
            raise RuntimeError("the nodes have not started")

    def stop(self):
        self.server.stdin.close()
        self.server.wait()
        self.server.stdout.close()

    def on(self, host, script, limit=90):
        """A shell script on a node, which is ended after `limit` seconds."""
        return subprocess.run([self.rsh, host, "timeout -k 1 %d sh -c %s" % (limit, shlex.quote(script))],
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              errors="replace")

    def start(self, host, script):
        """The same, which is not waited for."""
        return subprocess.Popen([self.rsh, host, "exec sh -c %s" % shlex.quote(script)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def must(self, host, script):
        result = self.on(host, script)
        if result.returncode != 0:
            raise RuntimeError("%s: %s: %s%s" % (host, script, result.stdout, result.stderr))
        return result.stdout

    def start_slurm(self):
        """munged and slurmd on each node, slurmctld on n1."""
        key, configuration = (os.path.join(self.folder, name) for name in ("munge.key", "slurm.conf"))
        with open(key, "wb") as file:
            file.write(os.urandom(128))
        os.chmod(key, 0o600)
        with open(configuration, "w") as file:
            file.write(SLURM_CONF.format(folder=self.folder, nodes=self.count, cores=CORES))
        for host in self.hosts:
            self.must(host, START_MUNGE.format(folder=self.folder))
        self.must("n1", "slurmctld -f %s >%s/slurmctld.out 2>&1" % (configuration, self.folder))
        for host in self.hosts:
            self.must(host, "slurmd -N %s -f %s >%s/slurmd-%s.out 2>&1" % (host, configuration, self.folder, host))
        self.wait_for_slurm(configuration)

    def wait_for_slurm(self, configuration):
        end = time.monotonic() + START_SECONDS
        while self.on("n1", "SLURM_CONF=%s sinfo -h -t idle -o %%D" % configuration).stdout.strip() != str(self.count):
            if time.monotonic() > end:
                raise RuntimeError("Slurm has not started: see %s/slurm*.log" % self.folder)
            time.sleep(0.1)

    def mount_sshfs(self, path, options=""):
        """`path`, which n1 has, reaches the other nodes by the network alone."""
        self.must("n1", "pgrep -x socat >/dev/null || socat TCP-LISTEN:5000,fork,reuseaddr "
                        "EXEC:/usr/lib/openssh/sftp-server </dev/null >/dev/null 2>&1 &")
        for host in self.hosts[1:]:
            self.must(host, "for i in $(seq 50); do sshfs -o directport=5000%s n1:%s %s && exit; sleep 0.1; done; exit 1" % (
                options, path, path))

    def unmount(self, path):
        for host in self.hosts[1:]:
            self.must(host, "umount -l %s" % path)

    def running(self, program):
        """{host: processes of that name}, of hosts that have any."""
        found = {}
        for host in self.hosts:
            count = int(self.on(host, "pgrep -c '%s'" % program).stdout or 0)
            if count:
                found[host] = count
        return found
