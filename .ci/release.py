#!/usr/bin/env python3
"""Make a release out of a clean checkout.

  bash .ci/release VERSION -o DIR [--sign FILE] [--only SYSTEM...]
  bash .ci/release --modules              what is asked of others, and who keeps it
  bash .ci/release --advisories PROGRAM   whether a program has modules with known faults

It writes to DIR: for each system an archive (tar.gz, for Windows zip) and the bare program under
the name that --deploy-from looks for; for linux/amd64 and linux/arm64 a deb and an rpm; the
licences of what is linked in, an SBOM of CycloneDX, and SHA256SUMS, which --sign has minisign sign
with that key. The same commit makes the same bytes, in whatever folder. VERSION has to be that of
cmd/perfdeck/VERSION, of CHANGELOG.md's head, and of the tag where there is one.

It takes Debian's packages (python3, git, minisign for --sign) and modules of Go, 20 to 40 minutes
on 2 cores. --only makes some systems alone, as linux/amd64, for trying.
"""
import argparse, datetime, gzip, hashlib, io, json, os, re, shutil, subprocess, sys, tarfile, tempfile, time, zipfile
from pathlib import Path

# The address of the repository, for packages and pages; empty while there is none.
HOME = ""

# The systems of a release, and what else Go is told of each. session/hosts/ssh has those
# to which perfdeck is copied.
SYSTEMS = {
    "linux/amd64": {}, "linux/arm64": {}, "linux/arm": {"GOARM": "7"}, "linux/riscv64": {}, "linux/s390x": {},
    "windows/amd64": {}, "windows/arm64": {}, "darwin/amd64": {}, "darwin/arm64": {}, "freebsd/amd64": {},
}
PACKAGED = {"linux/amd64": ("amd64", "x86_64"), "linux/arm64": ("arm64", "aarch64")}  # for deb and rpm
SERVICES = ["watch", "serve", "exporter", "push"]
COMPLETIONS = {"bash": "usr/share/bash-completion/completions/perfdeck", "zsh": "usr/share/zsh/vendor-completions/_perfdeck", "fish": "usr/share/fish/vendor_completions.d/perfdeck.fish"}
ADVISORIES = ".ci/advisories"
FRESH = 90  # days since the advisories were last looked through
ROOT = Path(__file__).resolve().parent.parent


def fail(*words):
    sys.exit("release: " + " ".join(str(w) for w in words))


def run(*args, env=None, **more):
    done = subprocess.run(args, cwd=ROOT, env={**os.environ, **(env or {})}, stdout=subprocess.PIPE, **more)
    if done.returncode:
        fail(" ".join(map(str, args)), "ended with", done.returncode)
    return done.stdout


def text(*args, **more):
    return run(*args, **more).decode().strip()


def check(version):
    """The commit's time, when all say the same version."""
    if text("git", "status", "--porcelain"):
        fail("the checkout is not clean")
    said = (ROOT / "cmd/perfdeck/VERSION").read_text().strip()
    head = re.search(r"^## (\S+), (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    tags = [t for t in text("git", "tag", "--points-at", "HEAD").split() if re.fullmatch(r"v\d+\.\d+\.\d+(-\w+)?", t)]
    if said != version:
        fail("cmd/perfdeck/VERSION says", said)
    if not head or head[1] != version:
        fail("the head of CHANGELOG.md says", head and head[1])
    if tags and tags != ["v" + version]:
        fail("the commit has the tag", *tags)
    if tags and head[2] == "unreleased":
        fail("CHANGELOG.md says that it is unreleased, and the commit has a tag")
    return int(text("git", "log", "-1", "--format=%ct"))


def linked(program):
    """The modules of a program: path, version, replacement resolved."""
    info = json.loads(text("go", "version", "-m", "-json", Path(program).resolve()))
    info = info[0] if isinstance(info, list) else info
    out = []
    for d in info.get("Deps", []):
        d = d.get("Replace") or d
        out.append((d["Path"], d["Version"], d.get("Sum", "")))
    return sorted(out), info["GoVersion"]


def order(version):
    """A version as what it is compared by."""
    bare, _, pre = version.lstrip("v").partition("-")
    return [int(n) for n in re.findall(r"\d+", bare)][:3] + [not pre, pre]


def advisories(modules, go, fresh):
    """What is wrong with modules: MODULE FIRST-FIXED-VERSION ID in lines, and the day they were looked through."""
    day, wrong = None, []
    have = {path: version for path, version, _ in modules} | {"stdlib": "v" + go.removeprefix("go")}
    for line in (ROOT / ADVISORIES).read_text().splitlines():
        words = line.split("#")[0].split()
        if words[:1] == ["looked"]:
            day = datetime.date.fromisoformat(words[1])
        elif len(words) == 3 and words[0] in have and order(have[words[0]]) < order(words[1]):
            wrong.append(f"{words[0]} {have[words[0]]} is behind {words[1]}: {words[2]}")
    if fresh and (day is None or (datetime.date.today() - day).days > FRESH):
        wrong.append(f"{ADVISORIES} was last looked through on {day}: more than {FRESH} days ago")
    return wrong


def licences(modules):
    """The licences of all that is linked in, as one text."""
    out = ["perfdeck\n\n" + (ROOT / "LICENSE").read_text(), "The Go standard library\n\n" + (Path(text("go", "env", "GOROOT")) / "LICENSE").read_text()]
    folders = {m["Path"]: m.get("Dir") for m in map(json.loads, split_json(text("go", "list", "-m", "-json", "all")))}
    for path, version, _ in modules:
        folder = folders.get(path)
        files = sorted(f for f in Path(folder).iterdir() if f.is_file() and re.match(r"(LICEN[CS]E|COPYING|NOTICE|PATENTS)([.-].*)?$", f.name, re.I)) if folder else []
        if not any(not f.name.upper().startswith(("NOTICE", "PATENTS")) for f in files):
            fail(path, version, "has no licence in", folder)
        out.append(f"{path} {version}\n\n" + "\n\n".join(f.read_text(errors="replace").strip("\n") for f in files))
    return ("\n\n" + "-" * 78 + "\n\n").join(t.strip("\n") for t in out) + "\n"


def licence(folder):
    """The kind of a licence, by words that only that kind has."""
    kinds = {"Apache-2.0": "Apache License", "MIT": "Permission is hereby granted, free of charge", "BSD-3-Clause": "Neither the name", "BSD-2-Clause": "Redistributions of source code", "ISC": "Permission to use, copy, modify, and", "MPL-2.0": "Mozilla Public License"}
    for f in sorted(Path(folder).iterdir()):
        if re.match(r"(LICEN[CS]E|COPYING)", f.name, re.I) and f.is_file():
            words = " ".join(f.read_text(errors="replace").split())
            return next((kind for kind, has in kinds.items() if has in words), "see " + f.name)
    return "none found"


def direct():
    """The modules that go.mod asks for directly, each a row. One that nothing is said of is an error."""
    said = dict(map(str.strip, l.split("|", 1)) for l in (ROOT / ".ci/modules").read_text().splitlines() if "|" in l and l[:1] != "#")
    wanted = {r["Path"] for r in json.loads(text("go", "mod", "edit", "-json"))["Require"] if not r.get("Indirect")}
    if wanted - said.keys():
        fail(".ci/modules says nothing of", *sorted(wanted - said.keys()))
    rows = []
    for m in map(json.loads, split_json(text("go", "list", "-m", "-json", *sorted(wanted)))):
        keeper, otherwise = map(str.strip, said[m["Path"]].split("|"))
        rows.append((m["Path"], m["Version"], licence(m["Dir"]) if m.get("Dir") else "not here", m.get("Time", "?")[:10], keeper, "else: " + otherwise))
    return rows


def split_json(stream):
    decoder, at, stream = json.JSONDecoder(), 0, stream.strip()
    while at < len(stream):
        value, at = decoder.raw_decode(stream, at)
        yield json.dumps(value)
        while at < len(stream) and stream[at].isspace():
            at += 1


def sbom(version, modules, go, when):
    """CycloneDX 1.5 of the modules of all programs."""
    def one(path, version, sum):
        purl = f"pkg:golang/{path}@{version}"
        c = {"type": "library", "bom-ref": purl, "name": path, "version": version, "purl": purl}
        if sum.startswith("h1:"):
            c["properties"] = [{"name": "go:sum", "value": sum}]
        return c
    own = f"pkg:golang/perfdeck@v{version}"
    parts = [one(*m) for m in modules] + [one("std", go, "")]
    return json.dumps({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"timestamp": datetime.datetime.fromtimestamp(when, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
                     "component": {"type": "application", "bom-ref": own, "name": "perfdeck", "version": version, "purl": own}},
        "components": parts, "dependencies": [{"ref": own, "dependsOn": [c["bom-ref"] for c in parts]}],
    }, indent=1, sort_keys=True) + "\n"


def archive(name, folder, files, when):
    """A tar.gz or zip of files, NAME to (bytes, mode), in a folder."""
    if name.suffix == ".zip":
        with zipfile.ZipFile(name, "w") as z:
            for path, (data, mode) in sorted(files.items()):
                entry = zipfile.ZipInfo(f"{folder}/{path}", time.gmtime(when)[:6])
                entry.external_attr, entry.create_system, entry.compress_type = (0o100000 | mode) << 16, 3, zipfile.ZIP_DEFLATED
                z.writestr(entry, data, compresslevel=9)
        return
    with open(name, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, when) as packed, tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as t:
        for path, (data, mode) in sorted(files.items()):
            entry = tarfile.TarInfo(f"{folder}/{path}")
            entry.size, entry.mode, entry.mtime, entry.uname, entry.gname = len(data), mode, when, "root", "root"
            t.addfile(entry, io.BytesIO(data))


def packed(data):
    out = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, out, 0) as z:
        z.write(data)
    return out.getvalue()


def example():
    """The commented config of the page of commands."""
    page = (ROOT / "cmd/perfdeck/README.md").read_text()
    return re.search(r"<!-- config -->\n```\n(.*?)```\n<!-- /config -->", page, re.S)[1].encode()


def extras(program, notices):
    """What stands beside the program, by where packages have it."""
    here = {"XDG_CONFIG_HOME": "/nonexistent", "HOME": "/nonexistent"}
    files = {
        "usr/share/man/man1/perfdeck.1.gz": packed(run(program, "man", env=here)),
        "usr/share/doc/perfdeck/README.md": (ROOT / "README.md").read_bytes(),
        "usr/share/doc/perfdeck/CHANGELOG.md": (ROOT / "CHANGELOG.md").read_bytes(),
        "usr/share/doc/perfdeck/copyright": notices.encode(),
        "etc/perfdeck/config.toml": example(),
    }
    for shell, where in COMPLETIONS.items():
        files[where] = run(program, "completion", shell, env=here)
    for service in SERVICES:
        unit = run(program, service, "--systemd", env=here)  # of the program where it is now
        files[f"usr/lib/systemd/system/perfdeck-{service}.service"] = unit.replace(str(program).encode(), b"/usr/bin/perfdeck")
    return files


# What Debian's checker asks for otherwise, and why it is as it is.
OVERRIDES = """# One program for every Linux, without the libraries of any.
perfdeck: statically-linked-binary [usr/bin/perfdeck]
# The licences of all modules as they came with them.
perfdeck: copyright-file-contains-full-apache-2-license
# Units are disabled with their package; there is no deb-systemd-helper in a minimal root.
perfdeck: maintainer-script-calls-systemctl *
"""
MAINTAINER = "The perfdeck authors <perfdeck@users.noreply.invalid>"


def debian(version, when):
    """The changelog of the package."""
    day = datetime.datetime.fromtimestamp(when, datetime.UTC).strftime("%a, %d %b %Y %H:%M:%S +0000")
    return packed(f"perfdeck ({version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- {MAINTAINER}  {day}\n".encode())


CHANGED = """#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
"""
LEAVES = """#!/bin/sh
set -e
case "$1" in
remove | 0)
	if [ -d /run/systemd/system ]; then
		for unit in {units}; do
			systemctl --no-reload disable --now "$unit" || true
		done
	fi
	;;
esac
"""
GONE = """#!/bin/sh
set -e
if [ -d /run/systemd/system ]; then
	systemctl daemon-reload || true
fi
if [ "$1" = purge ]; then
	for at in /var/lib /var/lib/private /var/log /var/log/private; do
		rm -rf "$at/perfdeck" "$at"/perfdeck-*
	done
fi
"""


def package(kind, arch, program, files, version, when, out):
    with tempfile.TemporaryDirectory() as at:
        at = Path(at)
        contents = []
        if kind == "deb":
            files = {**files, "usr/share/doc/perfdeck/changelog.gz": debian(version, when), "usr/share/lintian/overrides/perfdeck": OVERRIDES.encode()}
        for path, data in {**files, "usr/bin/perfdeck": program.read_bytes()}.items():
            source = at / path.replace("/", "_")
            source.write_bytes(data)
            entry = {"src": str(source), "dst": "/" + path, "file_info": {"mode": 0o755 if path.startswith("usr/bin/") else 0o644, "mtime": stamp(when)}}
            if path.startswith(("usr/share/doc/", "usr/share/man/")) and kind == "rpm":
                entry["type"] = "doc"
            if path.startswith("etc/"):
                entry["type"] = "config|noreplace"
            contents.append(entry)
        if kind == "rpm":  # which owns only the folders that it lists
            contents += [{"dst": "/" + folder, "type": "dir", "file_info": {"mode": 0o755, "mtime": stamp(when)}} for folder in ("etc/perfdeck", "usr/share/doc/perfdeck")]
        units = " ".join(f"perfdeck-{s}.service" for s in SERVICES)
        for name, script in {"changed": CHANGED, "leaves": LEAVES.format(units=units), "gone": GONE}.items():
            (at / name).write_text(script)
        config = {
            "name": "perfdeck", "arch": arch, "platform": "linux", "version": version, "section": "admin", "priority": "optional",
            "maintainer": MAINTAINER, "license": "MIT", "mtime": stamp(when),
            "description": "perfmon for the terminal\nShows, records and judges performance counters of this computer and of\nWindows and Linux hosts.",
            "contents": contents,
            "scripts": {"postinstall": str(at / "changed"), "preremove": str(at / "leaves"), "postremove": str(at / "gone")},
            "rpm": {"buildhost": "localhost", "compression": "gzip:9", "summary": "perfmon for the terminal"},
            **({"release": "1"} if kind == "rpm" else {}), **({"homepage": HOME} if HOME else {}),
        }
        (at / "nfpm.yaml").write_text(json.dumps(config))  # which is YAML, too
        env = {"SOURCE_DATE_EPOCH": str(when), "GOFLAGS": "-trimpath"}
        run("go", "tool", "-modfile=.ci/pack.mod", "nfpm", "package", "-f", at / "nfpm.yaml", "-p", kind, "-t", out, env=env, stderr=subprocess.STDOUT)


def stamp(when):
    return datetime.datetime.fromtimestamp(when, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("version", nargs="?")
    p.add_argument("-o", dest="out", type=Path)
    p.add_argument("--modules", action="store_true")
    p.add_argument("--advisories", metavar="PROGRAM")
    p.add_argument("--sign", type=Path)
    p.add_argument("--only", nargs="*", choices=list(SYSTEMS), default=list(SYSTEMS))
    a = p.parse_args()
    if a.modules:
        rows = direct()
        wide = [max(len(r[i]) for r in rows) for i in range(5)]
        for r in rows:
            print("  ".join([*(c.ljust(w) for c, w in zip(r, wide)), r[5]]))
        return
    if a.advisories:
        if wrong := advisories(*linked(a.advisories), fresh=False):
            fail("; ".join(wrong))
        return
    if not a.version or not a.out:
        p.error("VERSION and -o DIR are wanted")
    out = a.out.resolve()
    if out.exists() and any(out.iterdir()):
        fail(out, "is not empty")
    when = check(a.version)
    out.mkdir(parents=True, exist_ok=True)
    built, modules, go = {}, {}, ""
    for system in a.only:
        goos, goarch = system.split("/")
        program = out / f"perfdeck-{goos}-{goarch}{'.exe' if goos == 'windows' else ''}"
        print("building", system, flush=True)
        run("go", "build", "-buildvcs=true", "-ldflags=-s -w", "-o", program, "./cmd/perfdeck",
            env={"CGO_ENABLED": "0", "GOFLAGS": "-trimpath -mod=readonly", "GOOS": goos, "GOARCH": goarch, "GOAMD64": "v1", **SYSTEMS[system]})
        program.chmod(0o755)
        of, go = linked(program)
        modules |= {m[0]: m for m in of}
        built[system] = program
    modules = sorted(modules.values())
    if wrong := advisories(modules, go, fresh=True):
        fail("; ".join(wrong))
    own = out / ("perfdeck-" + text("go", "env", "GOHOSTOS") + "-" + text("go", "env", "GOHOSTARCH"))
    if not own.exists():
        fail("--only has to name this computer's system too: its program makes the manual page")
    notices = licences(modules)
    files = extras(own, notices)
    for system, program in built.items():
        goos, goarch = system.split("/")
        folder = f"perfdeck-{a.version}-{goos}-{goarch}{'v7' if goarch == 'arm' else ''}"
        inside = {("perfdeck.exe" if goos == "windows" else "perfdeck"): (program.read_bytes(), 0o755), "LICENSES": (notices.encode(), 0o644)}
        for path, data in files.items():
            if path.startswith("usr/share/man"):
                path, data = "perfdeck.1", gzip.decompress(data)
            elif "completions" in path:
                path = "completions/" + Path(path).name
            elif path.startswith("usr/lib/systemd"):
                if goos != "linux":
                    continue
                path = "systemd/" + Path(path).name
            elif path.endswith("copyright"):
                continue
            else:
                path = Path(path).name
            inside[path] = (data, 0o644)
        archive(out / (folder + (".zip" if goos == "windows" else ".tar.gz")), folder, inside, when)
        if system in PACKAGED:
            for kind, arch in zip(("deb", "rpm"), PACKAGED[system]):
                package(kind, goarch, program, files, a.version, when, out)
    (out / "LICENSES").write_text(notices)
    (out / "perfdeck.cdx.json").write_text(sbom(a.version, modules, go, when))
    sums = "".join(f"{hashlib.sha256(f.read_bytes()).hexdigest()}  {f.name}\n" for f in sorted(out.iterdir()))
    (out / "SHA256SUMS").write_text(sums)
    if a.sign:
        if not shutil.which("minisign"):
            fail("--sign: minisign is not there: apt-get install minisign")
        run("minisign", "-S", "-s", a.sign.resolve(), "-m", out / "SHA256SUMS", "-t", f"perfdeck {a.version}")
    print(f"{len(sums.splitlines())} files in {out}")


main()
