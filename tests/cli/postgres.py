# SPDX-License-Identifier: GPL-3.0-or-later
"""A real PostgreSQL server in a folder of its own, for tests; Debian's packages, nobody else's server.

It refuses to run as root, so that root becomes another user for it."""
import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time


def folder_of_programs():
    """Where initdb and postgres lie; None: they are not installed."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/initdb"))
    return os.path.dirname(found[-1]) if found else None


class Server:
    """`url` connects over a socket in the folder, or over TCP where an address is given."""

    def __init__(self, address=None, port=5432, wrap=()):
        self.folder = tempfile.mkdtemp(prefix="ludens-pg-", dir="/tmp")
        self.programs = folder_of_programs()
        self.address, self.port, self.wrap = address, port, list(wrap)
        self.user = None
        if os.getuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.user = "postgres" if "postgres" in names else "nobody"
            entry = pwd.getpwnam(self.user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self.process = None
        self.run("initdb", "-D", self.folder + "/data", "-U", "ludens", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        with open(self.folder + "/data/pg_hba.conf", "a", encoding="utf-8") as file:
            file.write("host all all 0.0.0.0/0 trust\n")
        self.start()
        self.run("createdb", "-h", self.folder, "-p", str(port), "-U", "ludens", "lab")

    def as_user(self, name, *arguments):
        change = ["setpriv", "--reuid", self.user, "--regid", str(pwd.getpwnam(self.user).pw_gid), "--clear-groups"] if self.user else []
        return [*self.wrap, *change, os.path.join(self.programs, name), *arguments]

    def run(self, name, *arguments):
        done = subprocess.run(self.as_user(name, *arguments), capture_output=True, text=True, cwd="/tmp")
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self):
        log = open(self.folder + "/log", "a", encoding="utf-8")
        self.process = subprocess.Popen(
            self.as_user("postgres", "-D", self.folder + "/data", "-p", str(self.port), "-c", f"unix_socket_directories={self.folder}",
                         "-c", f"listen_addresses={self.address or ''}"), stdout=log, stderr=log, cwd="/tmp")
        log.close()
        for _ in range(600):
            if subprocess.run(self.as_user("pg_isready", "-q", "-h", self.folder, "-p", str(self.port)), cwd="/tmp").returncode == 0:
                return
            time.sleep(0.05)
        with open(self.folder + "/log", encoding="utf-8") as file:
            raise AssertionError("the server does not start:\n" + file.read())

    def kill(self):
        """As a power cut would: its processes die with the first."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def url(self):
        host = self.address or self.folder.replace("/", "%2F")
        return f"postgresql://ludens@{host}:{self.port}/lab"

    def query(self, sql):
        """Rows of texts."""
        out = self.run("psql", "-h", self.folder, "-p", str(self.port), "-U", "ludens", "-d", "lab", "-AtF", "\x1f", "-c",
                       "SET search_path = ludens", "-c", sql)
        return [tuple(line.split("\x1f")) for line in out.splitlines()[1:]]
