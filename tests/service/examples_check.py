"""examples_check.py LOTOR - the examples for containers, Kubernetes and systemd agree with the command and with each other.

They can't be run here: that needs Docker, a cluster or a booted systemd. So this reads them, and compares names of options,
variables, files, ports, paths and packages with the sources. Prints what is wrong; the exit status is 1 if anything is.
"""
import fnmatch
import json
import os
import re
import subprocess
import sys

import yaml

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
LOTOR = os.path.abspath(sys.argv[1])
problems = []


def text_of(path):
    return open(os.path.join(ROOT, path), encoding="utf-8").read()


def check(holds, what):
    if not holds:
        problems.append(what)


def option_variables():
    """The variable of each option of lotor serve."""
    shown = subprocess.run([LOTOR, "help", "serve"], capture_output=True, text=True, check=True).stdout
    names = re.findall(r"^  --([a-z-]+)", shown, re.M)
    check(len(names) >= 14, "few options were found")
    return {"LOTOR_" + name.upper().replace("-", "_") for name in names}


def paths_without_key():
    routes = json.loads(text_of("docs/openapi.json"))["paths"]
    return {path for path, methods in routes.items() if methods.get("get", {}).get("x-role") == "none"}


def docker_commands(dockerfile):
    """The commands of a Dockerfile, each on one line, without comments."""
    lines = "\n".join(line for line in dockerfile.splitlines() if not line.startswith("#"))
    return lines.replace("\\\n", " ").splitlines()


def check_image(variables):
    commands = docker_commands(text_of("examples/compose/Dockerfile"))
    stages = [i for i, line in enumerate(commands) if line.startswith("FROM ")]
    check(len(stages) == 2, "the Dockerfile has one image to build in and one to run")
    first, last = "\n".join(commands[: stages[1]]), "\n".join(commands[stages[1] :])
    environment = dict(re.findall(r"\b(LOTOR_[A-Z_]+)=(\S+)", "\n".join(line for line in commands if line.startswith("ENV "))))
    check(environment, "the image sets variables")
    check(set(environment) <= variables, f"no options: {set(environment) - variables}")
    check(f"EXPOSE {environment.get('LOTOR_PORT')}" in last, "the image exposes its own port")
    volume = re.search(r"VOLUME (\S+)", last)
    check(volume and environment.get("LOTOR_STORE", "").startswith(volume[1] + "/"), "the store is not on the volume")
    # The packages that scripts/deps installs for a build; the manual is not in the image.
    build = re.search(r"\n    build\)(.*?)\n        ;;", text_of("scripts/deps"), re.S)[1]
    packages = set(re.findall(r"need_(?:package|command) \S+ (\S+)", build)) | set(re.findall(r'missing="\$missing ([a-z0-9.-]+)"', build))
    check(len(packages) >= 12, "few packages were found in scripts/deps")
    for package in packages - {"lowdown"} | {"emscripten"}:
        check(re.search(rf"[ \n]{re.escape(package)}[ \n]", first + "\n"), f"the build of the image lacks {package}")
    # Each library of the build has its package in the image: libpq-dev and libpq5.
    for package in re.findall(r"\b(lib[a-z0-9-]+?)-dev\b", first):
        stem = re.match(r"lib[a-z]+", package)[0]
        check(package.startswith("libc6") or re.search(rf"[ \n]{stem}", last), f"the image lacks the library of {package}-dev")
    return environment


def ignored(patterns, path):
    """True if .dockerignore leaves out a file: a pattern matches it or one of its folders."""
    parts = path.split("/")
    heads = ["/".join(parts[: i + 1]) for i in range(len(parts))]
    return any(
        fnmatch.fnmatchcase(head, pattern) or (pattern.startswith("**/") and fnmatch.fnmatchcase(head.split("/")[-1], pattern[3:]))
        for pattern in patterns
        for head in heads
    )


def check_ignored():
    lines = [line.strip() for line in text_of(".dockerignore").splitlines()]
    patterns = [line for line in lines if line and not line.startswith("#")]
    needed = ["CMakeLists.txt", "LICENSE", "docs/openapi.json"]
    for folder in ("src", "include", "cmake", "clients/js", "man"):
        for where, _, names in os.walk(os.path.join(ROOT, folder)):
            if "node_modules" not in where and "__pycache__" not in where:
                needed += [os.path.relpath(os.path.join(where, name), ROOT) for name in names]
    check(len(needed) > 300, "few sources were found")
    for path in needed:
        check(not ignored(patterns, path), f".dockerignore leaves out {path}")
    for path in (".git/config", "build/lotor", "build-check/lotor", "keys/lotor.key", "keys/notes", "shop.db", "shop.db-wal", "a/shop.db.keys",
                 "shop.db.key.head", "tls.pem"):
        check(ignored(patterns, path), f".dockerignore does not leave out {path}")


def check_compose(variables, environment):
    compose = yaml.safe_load(text_of("examples/compose/compose.yaml"))
    servers = {name: service for name, service in compose["services"].items() if name.startswith("lotor")}
    check(len(servers) == 3, "compose.yaml has three servers")
    for name, service in servers.items():
        own = {key for key in service["environment"] if key.startswith("LOTOR_")}
        check("LOTOR_STORE" in own and own <= variables, f"{name}: variables {own}")
        folder = os.path.join(ROOT, "examples/compose", service["build"]["context"])
        check(os.path.isfile(os.path.join(folder, service["build"]["dockerfile"])), f"{name}: no Dockerfile")
        probe = service["healthcheck"]["test"][-1]
        check(probe == f"http://127.0.0.1:{environment['LOTOR_PORT']}/healthz", f"{name}: {probe}")
        for key in ("LOTOR_KEY_FILE", "LOTOR_KEYS"):
            folder = os.path.dirname(service["environment"].get(key, ""))
            check(folder and service["volumes"][0].endswith(":" + folder), f"{name}: {key} is not on the volume")
    for name in servers:
        check(f"{name}:{environment['LOTOR_PORT']}" in compose["services"]["proxy"]["command"], f"the proxy lacks {name}")


def check_kubernetes(variables, environment):
    folder = "examples/kubernetes"
    top = yaml.safe_load(text_of(f"{folder}/kustomization.yaml"))
    files = set(os.listdir(os.path.join(ROOT, folder))) - {"kustomization.yaml"}
    check(files == set(top["resources"]), f"kustomization.yaml lists {top['resources']}, there are {sorted(files)}")
    parts = {}
    for name in top["resources"]:
        part = yaml.safe_load(text_of(f"{folder}/{name}"))
        parts[part["kind"]] = part
    pods = parts["StatefulSet"]["spec"]["template"]["spec"]
    container = pods["containers"][0]
    settings = dict(environment)
    for made in top["configMapGenerator"]:
        check({"configMapRef": {"name": made["name"]}} in container["envFrom"], f"{made['name']} is not used")
        settings.update(literal.split("=", 1) for literal in made["literals"])
    check(set(settings) <= variables, f"no options: {set(settings) - variables}")
    check(pods["enableServiceLinks"] is False, "enableServiceLinks would set LOTOR_PORT")
    check(pods["securityContext"]["fsGroupChangePolicy"] == "OnRootMismatch", "the keys would become readable")
    check(container["args"] == ["serve"] and container["image"] == top["images"][0]["name"], "command and image")
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    check(ports == {"https": int(settings["LOTOR_PORT"])}, f"ports {ports}")
    check(parts["Service"]["spec"]["ports"][0]["targetPort"] in ports, "the port of the service")
    check(parts["StatefulSet"]["spec"]["serviceName"] == parts["Service"]["metadata"]["name"], "the name of the service")
    for name in ("readinessProbe", "livenessProbe"):
        probe = container[name]["httpGet"]
        check(probe["path"] in paths_without_key() and probe["port"] in ports and probe["scheme"] == "HTTPS", name)
    volumes = {volume["name"] for volume in pods["volumes"]}
    volumes |= {claim["metadata"]["name"] for claim in parts["StatefulSet"]["spec"]["volumeClaimTemplates"]}
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    check(set(mounts.values()) == volumes, f"volumes {volumes}, mounts {mounts}")
    for name in ("LOTOR_STORE", "LOTOR_TLS_CERTIFICATE", "LOTOR_TLS_KEY"):
        check(os.path.dirname(settings.get(name, "")) in mounts, f"{name} is on no volume")
    uid = re.search(r"--uid (\d+)", text_of("examples/compose/Dockerfile"))[1]
    check(pods["securityContext"]["runAsUser"] == int(uid), "the user of the image")


def check_systemd(variables):
    unit = text_of("examples/lotor.service")
    used = set(re.findall(r"^Environment=(LOTOR_[A-Z_]+)=", unit, re.M))
    check(used and used <= variables, f"lotor.service: no options: {used - variables}")
    check(re.search(r"^ExecStart=/usr/local/bin/lotor serve$", unit, re.M), "lotor.service: ExecStart")
    for path in re.findall(r"^Environment=LOTOR_[A-Z_]+=(/\S+)", unit, re.M):
        check(path.startswith("/var/lib/lotor/"), f"lotor.service: {path} is not in StateDirectory")


variables = option_variables()
environment = check_image(variables)
check_ignored()
check_compose(variables, environment)
check_kubernetes(variables, environment)
check_systemd(variables)
check(yaml.safe_load(text_of("examples/prometheus-rules.yml"))["groups"], "prometheus-rules.yml has no groups")
for problem in problems:
    print(problem)
sys.exit(1 if problems else 0)
