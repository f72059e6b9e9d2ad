"""Makes a table on a cluster and compares it with the one made here."""

from __future__ import annotations

from pathlib import Path

from zermelo.cluster.connection import Cluster
from zermelo.cluster.progress import Dashboard
from zermelo.cluster.tables import cluster_engine
from zermelo.tables.material import Material
from zermelo.tables.solving import Solver
from zermelo.tables.tablebase import Tablebase


def same(cluster: Cluster, name: str, tablebase: Tablebase, folder: Path) -> Dashboard:
    """Makes a table on the cluster and compares it with the one made here."""
    material = Material.parse(name)
    tablebase.table(material)
    tables = tablebase.folder
    for path in tables.glob("*.ztb"):
        (folder / path.name).symlink_to(path)
    written = folder / f"{name}.ztb"
    written.unlink()
    dashboard = Dashboard(name, cluster.workers)
    engine = cluster_engine(cluster, folder, dashboard)
    engine.check([material], folder)
    Solver(folder, engine).make(material)
    assert written.read_bytes() == (tables / f"{name}.ztb").read_bytes()
    assert [path for path in folder.iterdir() if not path.is_symlink()] == [written]
    return dashboard
