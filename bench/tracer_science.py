"""What bench/tracer runs: simulations and searches as they are packaged, with their input files.

Chosen by what people run on clusters, before anything was measured; one process with one thread, because threads and processes that
wait are measured as work where they spin. raxmlHPC was taken out for that: its two workers spin on a flag until the other is done.
"""
import random

RANK = ["mpirun", "-n", "1"]

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
{more}end
basis spherical
* library {basis}
end
task scf
"""

PLANE_WAVES = """&control
calculation = 'scf', prefix = 'aluminium', pseudo_dir = '/usr/share/espresso/pseudo', outdir = '.', disk_io = 'none'
/
&system
ibrav = 6, celldm(1) = 7.65, celldm(3) = {cells}, nat = {atoms}, ntyp = 1, ecutwfc = {cutoff}
occupations = 'smearing', smearing = 'mv', degauss = 0.05
/
&electrons
conv_thr = 1e-8
/
ATOMIC_SPECIES
Al 26.98 Al.pz-vbc.UPF
ATOMIC_POSITIONS alat
{positions}K_POINTS automatic
{points} {points} {points} 1 1 1
"""

DENSITY_FUNCTIONAL = """&GLOBAL
  PROJECT water
  RUN_TYPE ENERGY
&END
&FORCE_EVAL
  METHOD Quickstep
  &DFT
    BASIS_SET_FILE_NAME BASIS_MOLOPT
    POTENTIAL_FILE_NAME GTH_POTENTIALS
    &MGRID
      CUTOFF {cutoff}
    &END
    &SCF
      EPS_SCF 1e-6
      &OT
      &END
    &END
    &XC
      &XC_FUNCTIONAL PADE
      &END
    &END
  &END
  &SUBSYS
    &CELL
      ABC 5 5 5
    &END
    &COORD
{positions}    &END
    &KIND H
      BASIS_SET DZVP-MOLOPT-SR-GTH
      POTENTIAL GTH-PADE-q1
    &END
    &KIND O
      BASIS_SET DZVP-MOLOPT-SR-GTH
      POTENTIAL GTH-PADE-q6
    &END
  &END
&END
"""


def mutated(choose, sequence, letters, probability):
    return "".join(choose.choice(letters) if choose.random() < probability else letter for letter in sequence)


def proteins(work):
    """A family of proteins and two databases to search for members of it."""
    choose, letters = random.Random(3), "ACDEFGHIKLMNPQRSTVWY"
    base = "".join(choose.choices(letters, k=250))
    family = "".join(f">s{i}\n{mutated(choose, base, letters, 0.3)}\n" for i in range(20))
    (work / "family.fa").write_text(family)
    strange = ["".join(choose.choices(letters, k=300)) for _ in range(1000)]
    for name, count in (("few.fa", 10_000), ("many.fa", 400_000)):
        with open(work / name, "w") as file:
            for i in range(count):
                file.write(f">d{i}\n{mutated(choose, base, letters, 0.6) if i % 20 == 0 else strange[i * 7 % 1000]}\n")


def alignment(species, sites):
    """Sequences of DNA that descend from each other."""
    choose = random.Random(7)
    sequences = ["".join(choose.choices("ACGT", k=sites))]
    while len(sequences) < species:
        sequences.append(mutated(choose, choose.choice(sequences), "ACGT", 0.04))
    return "".join(f">t{i}\n{sequence}\n" for i, sequence in enumerate(sequences))


def reads(work):
    """A genome, and long reads of it with errors."""
    choose = random.Random(5)
    genome = "".join(choose.choices("ACGT", k=2_000_000))
    (work / "genome.fa").write_text(f">g\n{genome}\n")
    for name, count in (("few-reads.fa", 500), ("many-reads.fa", 16000)):
        with open(work / name, "w") as file:
            for i in range(count):
                at = choose.randrange(len(genome) - 5000)
                file.write(f">r{i}\n{mutated(choose, genome[at:at + 5000], ['A', 'C', 'G', 'T', ''], 0.1)}\n")


def plane_waves(cells, cutoff, points):
    """Aluminium, some cubes of four atoms on top of each other, for Quantum ESPRESSO."""
    positions = "".join(f"Al 0 0 {z}\nAl 0.5 0.5 {z}\nAl 0.5 0 {z}.5\nAl 0 0.5 {z}.5\n" for z in range(cells))
    return PLANE_WAVES.format(cells=cells, atoms=4 * cells, cutoff=cutoff, points=points, positions=positions)


def density_functional(molecules, cutoff):
    """Molecules of water in a box, for CP2K."""
    return DENSITY_FUNCTIONAL.format(cutoff=cutoff, positions="".join(
        f"      O {x} {x} {x}\n      H {x} {x + 0.757} {x + 0.587}\n      H {x} {x - 0.757} {x + 0.587}\n"
        for x in (2.5 * i for i in range(molecules))))


def quantum_chemistry(work):
    for name, basis, more in (("few.nw", "aug-cc-pvtz", ""), ("many.nw", "aug-cc-pvqz", "He 3 0 0\n")):
        (work / name).write_text(HARTREE_FOCK.format(basis=basis, more=more))
    (work / "few.pw").write_text(plane_waves(1, 20, 6))
    (work / "many.pw").write_text(plane_waves(2, 25, 8))
    for name, molecules, cutoff in (("few.cp2k", 1, 280), ("many.cp2k", 2, 800)):
        (work / name).write_text(density_functional(molecules, cutoff))
    return {
        "nwchem": {"needs": "nwchem.openmpi", "launcher": RANK, "long": ["nwchem.openmpi", "many.nw"],
                   "short": ["nwchem.openmpi", "few.nw"]},
        "quantum-espresso": {"needs": "pw.x", "launcher": RANK, "long": ["pw.x", "-in", "many.pw"],
                             "short": ["pw.x", "-in", "few.pw"]},
        "cp2k": {"needs": "cp2k.psmp", "launcher": RANK, "long": ["cp2k.psmp", "-i", "many.cp2k"],
                 "short": ["cp2k.psmp", "-i", "few.cp2k"], "clean": ["water-*"]},
    }


def molecular_dynamics(work):
    (work / "lj.in").write_text(LENNARD_JONES)
    (work / "water.top").write_text(WATER)
    (work / "md.mdp").write_text(MOLECULAR_DYNAMICS)
    lammps = ["lmp", "-log", "none", "-in", "lj.in", "-var", "steps"]
    gromacs = ["gmx", "-quiet", "mdrun", "-s", "water.tpr", "-ntmpi", "1", "-nt", "1", "-notunepme", "-reprod", "-pin", "off",
               "-deffnm", "out", "-nsteps"]
    return {
        "lammps": {"needs": "lmp", "launcher": RANK, "long": lammps + ["6000"], "short": lammps + ["200"]},
        "gromacs": {"needs": "gmx", "long": gromacs + ["9000"], "short": gromacs + ["200"], "clean": ["out.*", "*#"],
                    "prepare": [["gmx", "-quiet", "solvate", "-cs", "spc216.gro", "-box", "2.5", "2.5", "2.5", "-o", "water.gro",
                                 "-p", "water.top"],
                                ["gmx", "-quiet", "grompp", "-f", "md.mdp", "-c", "water.gro", "-p", "water.top", "-o", "water.tpr",
                                 "-maxwarn", "5"]]},
    }


def sequences(work):
    proteins(work)
    reads(work)
    (work / "few.aln").write_text(alignment(50, 500))
    (work / "many.aln").write_text(alignment(560, 1000))
    search, trees = ["hmmsearch", "--cpu", "0", "family.hmm"], ["fasttree", "-quiet", "-nt", "-gtr", "-out", "tree"]
    mapping = ["minimap2", "-t", "1", "-a", "-o", "out.sam", "genome.fa"]
    return {
        "hmmer": {"needs": "hmmsearch", "long": search + ["many.fa"], "short": search + ["few.fa"],
                  "prepare": [["hmmbuild", "--cpu", "0", "family.hmm", "family.fa"]]},
        "minimap2": {"needs": "minimap2", "long": mapping + ["many-reads.fa"],
                     "short": mapping + ["few-reads.fa"]},
        "fasttree": {"needs": "fasttree", "long": trees + ["many.aln"], "short": trees + ["few.aln"]},
    }


def programs(work):
    """Name to what it needs and its commands."""
    return {
        "hpcc": {"needs": "hpcc", "launcher": RANK, "long": ["hpcc"], "short": ["hpcc"], "clean": ["hpccoutf.txt"],
                 "files": {length: {"hpccinf.txt": HPCC.format(size=size)} for length, size in (("long", 3600), ("short", 500))},
                 "steady": ("hpccoutf.txt", r"(?m)^(?:\w*ExeUpdates|HPL_N|\w*VectorSize|Success)=.*$")},
        **molecular_dynamics(work),
        **quantum_chemistry(work),
        **sequences(work),
    }
