"""What bench/tracer runs: packaged programs and our examples, with their input files.

"long" is a command of some seconds of processor time; "launcher" and "short" a smaller one that other tools can be
put into. "prepare" are commands that run once before, without a tracer; "clean" are globs of what a run leaves behind; "steady" is
a file and a pattern: what a run did, which must be the same however slow it was.
"""
import random

LENNARD_JONES = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 12 0 12 0 12
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify delay 0 every 20 check no
fix 1 all nve
run ${steps}
"""

HPCC = """HPLinpack benchmark input file
none
HPL.out
8            device out
1            # of problems sizes (N)
{size}
1            # of NBs
16           NBs
0            PMAP process mapping
1            # of process grids (P x Q)
1            Ps
1            Qs
16.0         threshold
1            # of panel fact
2            PFACTs
1            # of recursive stopping criterium
4            NBMINs
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs
1            # of broadcast
1            BCASTs
1            # of lookahead depth
1            DEPTHs
2            SWAP
64           swapping threshold
0            L1 in form
0            U  in form
1            Equilibration
8            memory alignment in double
"""

SQL = ("create table t(a,b); with recursive c(x) as (select 1 union all select x+1 from c where x<{rows}) insert into t select "
       "x,x*x%997 from c; create index i on t(b); select b,count(*),sum(a) from t group by b; select count(*) from t where "
       "b like '%7%';")

PERL = ("my %h; for (1..{n}){{$h{{$_%97}}.=chr(65+$_%26) if $_%5==0; push @a,($_*7919)%10007}} @a=sort {{$a<=>$b}} @a; "
        "for(1..{n}/20){{my $s=join '-',@a[$_..$_+5]; $n++ if $s=~/(\\d)\\1.*-9/}} print $n")

WATER = """#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
"""

MOLECULAR_DYNAMICS = """integrator = md
dt = 0.001
nsteps = 100000
coulombtype = PME
rcoulomb = 0.9
rvdw = 0.9
nstenergy = 100
gen_vel = yes
gen_seed = 1
"""

HARTREE_FOCK = """start water
geometry units angstroms
O 0 0 0
H 0 0.757 0.587
H 0 -0.757 0.587
end
basis spherical
* library {basis}
end
task scf
"""

RANK = ["mpirun", "-n", "1"]


def numbers(count):
    """Lines of pseudo-random numbers."""
    state, lines = 1, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        lines.append(str(state >> 8))
    return "\n".join(lines) + "\n"


def mutated(choose, sequence, letters, probability):
    return "".join(choose.choice(letters) if choose.random() < probability else letter for letter in sequence)


def alignment(species, sites):
    """Sequences of DNA that descend from each other, in PHYLIP's format."""
    choose = random.Random(7)
    sequences = ["".join(choose.choices("ACGT", k=sites))]
    while len(sequences) < species:
        sequences.append(mutated(choose, choose.choice(sequences), "ACGT", 0.08))
    return f"{species} {sites}\n" + "".join(f"t{i} {sequence}\n" for i, sequence in enumerate(sequences))


def proteins(work):
    """A family of proteins and two databases to search for members of it."""
    choose, letters = random.Random(3), "ACDEFGHIKLMNPQRSTVWY"
    base = "".join(choose.choices(letters, k=250))
    family = "".join(f">s{i}\n{mutated(choose, base, letters, 0.3)}\n" for i in range(20))
    (work / "family.fa").write_text(family)
    strange = ["".join(choose.choices(letters, k=300)) for _ in range(1000)]
    for name, count in (("few.fa", 10_000), ("many.fa", 100_000)):
        with open(work / name, "w") as file:
            for i in range(count):
                file.write(f">d{i}\n{mutated(choose, base, letters, 0.6) if i % 20 == 0 else strange[i * 7 % 1000]}\n")


def packaged_science(work):
    """Simulations and searches as they are packaged: molecules, quantum chemistry, phylogeny, proteins."""
    (work / "water.top").write_text(WATER)
    (work / "md.mdp").write_text(MOLECULAR_DYNAMICS)
    for name, basis in (("few.nw", "aug-cc-pvtz"), ("many.nw", "aug-cc-pvqz")):
        (work / name).write_text(HARTREE_FOCK.format(basis=basis))
    (work / "few.phy").write_text(alignment(8, 300))
    (work / "many.phy").write_text(alignment(14, 450))
    proteins(work)
    dynamics = ["gmx", "-quiet", "mdrun", "-s", "water.tpr", "-ntmpi", "1", "-nt", "1", "-notunepme", "-reprod", "-pin", "off",
                "-deffnm", "out", "-nsteps"]
    trees = ["raxmlHPC", "-n", "x", "-m", "GTRGAMMA", "-p", "1", "-s"]
    return {
        "gromacs": {"needs": "gmx", "long": dynamics + ["3000"], "short": dynamics + ["200"], "clean": ["out.*", "*#"],
                    "prepare": [["gmx", "-quiet", "solvate", "-cs", "spc216.gro", "-box", "2.5", "2.5", "2.5", "-o", "water.gro",
                                 "-p", "water.top"],
                                ["gmx", "-quiet", "grompp", "-f", "md.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr",
                                 "-maxwarn", "5"]]},
        "nwchem": {"needs": "nwchem.openmpi", "long": RANK + ["nwchem.openmpi", "many.nw"], "launcher": RANK,
                   "short": ["nwchem.openmpi", "few.nw"]},
        "raxml": {"needs": "raxmlHPC", "long": trees + ["many.phy"], "short": trees + ["few.phy"], "clean": ["RAxML_*", "*.reduced"]},
        "hmmer": {"needs": "hmmsearch", "long": ["hmmsearch", "--cpu", "0", "family.hmm", "many.fa"],
                  "short": ["hmmsearch", "--cpu", "0", "family.hmm", "few.fa"],
                  "prepare": [["hmmbuild", "--cpu", "0", "family.hmm", "family.fa"]]},
    }


def programs(work, build):
    """Name to what it needs and its commands. hpcc reads its input from its directory."""
    (work / "lj.in").write_text(LENNARD_JONES)
    (work / "many.txt").write_text(numbers(4_000_000))
    (work / "few.txt").write_text(numbers(300_000))
    (work / "hpccinf.txt").write_text(HPCC.format(size=2000))
    lammps = ["lmp", "-log", "none", "-in", "lj.in", "-var", "steps"]
    oddeven = [str(build / "examples/oddeven"), "--bug", "none", "--block"]
    return {
        "hpcc": {"needs": "hpcc", "long": RANK + ["hpcc"], "launcher": RANK, "short": ["hpcc"], "clean": ["hpccoutf.txt"],
                 "steady": ("hpccoutf.txt", r"(?m)^(?:\w*ExeUpdates|HPL_N|\w*VectorSize|Success)=.*$")},
        **packaged_science(work),
        "lammps": {"needs": "lmp", "long": RANK + lammps + ["2000"], "launcher": RANK, "short": lammps + ["200"]},
        "sqlite3": {"needs": "sqlite3", "long": ["sqlite3", ":memory:", SQL.format(rows=1_000_000)],
                    "short": ["sqlite3", ":memory:", SQL.format(rows=300_000)]},
        "bzip2": {"needs": "bzip2", "long": ["bzip2", "-9kc", "many.txt"], "short": ["bzip2", "-9kc", "few.txt"]},
        "xz": {"needs": "xz", "long": ["xz", "-1kc", "many.txt"], "short": ["xz", "-1kc", "few.txt"]},
        "perl": {"needs": "perl", "long": ["perl", "-e", PERL.format(n=6_000_000)], "short": ["perl", "-e", PERL.format(n=300_000)]},
        "oddeven": {"needs": oddeven[0], "long": ["mpirun", "-n", "2", *oddeven, "3000000"], "launcher": ["mpirun", "-n", "2"],
                    "short": oddeven + ["100000"]},
    }


def unpredictable(work):
    """Name to images and command: programs whose calls are hard to predict."""
    source = "".join(f"int f{i}(int *p, int n) {{ int s = {i}; for (int k = 0; k < n; k++) if (p[k] % {i + 2}) s += p[k] * k; "
                     f"else s ^= f{i - 1 if i else 0}(p, n - 1); return s; }}\n" for i in range(60))
    (work / "source.c").write_text(source)
    (work / "few.txt").write_text(numbers(300_000))
    json = ("import json\nd={str(i):[i*j%97 for j in range(5)] for i in range(800)}\n"
            "for k in range(30): d=json.loads(json.dumps(d))")
    return {
        "gcc, main": ("main", ["gcc", "-O1", "-S", "-o", "/dev/null", "source.c"]),
        "gcc, all": ("all", ["gcc", "-O1", "-S", "-o", "/dev/null", "source.c"]),
        "python3, main": ("main", ["/usr/bin/python3", "-S", "-c", json]),
        "perl, main": ("main", ["perl", "-e", PERL.format(n=300_000)]),
        "sqlite3, all": ("all", ["sqlite3", ":memory:", SQL.format(rows=200_000)]),
    }
