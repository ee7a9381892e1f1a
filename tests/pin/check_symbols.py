"""What the compiled Pin tool needs: Pin's API and Pin's C library, and nothing of the system's.

usage: check_symbols.py KIT OBJECT...
"""

import glob
import os
import subprocess
import sys

COMPILER = {"__cpu_model", "__cpu_indicator_init", "_GLOBAL_OFFSET_TABLE_"}  # libgcc's and the linker's


def symbols(files, *options):
    output = subprocess.run(["nm", *options, *files], check=True, stdout=subprocess.PIPE, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in output.splitlines() if line and not line.endswith(":")}


def is_pins(symbol):
    return symbol.startswith("_ZN") and "LEVEL_" in symbol


def main():
    kit, objects = sys.argv[1], sys.argv[2:]
    pincrt = os.path.join(kit, "intel64/runtime/pincrt")
    needed = symbols(objects, "--undefined-only") - symbols(objects, "--defined-only")
    provided = symbols(glob.glob(pincrt + "/*.so"), "-D", "--defined-only")
    provided |= symbols(glob.glob(pincrt + "/crt*S.o"), "--defined-only") | COMPILER
    missing = sorted(symbol for symbol in needed - provided if not is_pins(symbol))
    tls = subprocess.run(["readelf", "-SW", *objects], check=True, stdout=subprocess.PIPE, text=True).stdout
    assert any(is_pins(symbol) for symbol in needed), "the tool calls nothing of Pin"
    assert not missing, "not in the kit: " + " ".join(missing)
    assert ".tbss" not in tls and ".tdata" not in tls, "thread-local variables, which Pin's C library does not have"


main()
