"""read_hdf5.py PENDULUM_REPORT: the HDF5 file has the numbers of the CSV file, bit for bit."""
import csv
import subprocess
import sys
import tempfile

try:
    import h5py
except ImportError:
    print("h5py is not installed")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    subprocess.run([sys.argv[1], folder], check=True, stdout=subprocess.DEVNULL)
    with open(f"{folder}/pendulum.csv", newline="") as file:
        header, *rows = csv.reader(file)
    with h5py.File(f"{folder}/pendulum.h5", "r") as file:
        # h5py sorts list(file) by name, but not that of the group.
        assert list(file["/"]) == header, (list(file["/"]), header)
        for k, name in enumerate(header):
            column = [float(row[k]) for row in rows]
            assert file[name][:].tolist() == column, name
            assert file[name].attrs["name"] == name
        assert file.attrs["status"] == "success"
        assert file.attrs["message"] == ""
        assert file.attrs["steps"] > 0
        assert file.attrs["rtol"] == 1e-8
        assert file.attrs["output"] == "all steps"
        assert 0 < file.attrs["constraint_residual_position"] < 1e-6
