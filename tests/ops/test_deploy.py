"""Files of deployment hold what the program has: settings, routes, metrics, times; and the platforms accept them."""

from __future__ import annotations

import configparser
import json
import re
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from bot.channels.web.app import WebChannel
from bot.metrics import Metrics
from bot.settings import Settings
from tests.bench.scale import nginx_binary

DEPLOY = Path(__file__).resolve().parents[2] / "deploy"
MANIFESTS = [
    document
    for path in sorted((DEPLOY / "kubernetes").glob("*.yaml"))
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8"))
]
GRACE_S = Settings.model_fields["grace_s"].default
NAMES = {f"XUANKA_{name.upper()}" for name in Settings.model_fields} | {"XUANKA_CACHE_DIR"}


def manifest(kind: str, name: str = "xuanka") -> dict[str, Any]:
    return next(one for one in MANIFESTS if one["kind"] == kind and one["metadata"]["name"] == name)


def seconds(text: str) -> float:
    return float(text.removesuffix("s"))


@pytest.mark.parametrize("version", ["1.28", "1.33"])
@pytest.mark.parametrize("document", MANIFESTS, ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_kubernetes_accepts_each_manifest(document: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(document, version, strict=True)


def test_the_validator_would_notice() -> None:
    broken = json.loads(json.dumps(manifest("Deployment")))
    broken["spec"]["template"]["spec"]["containers"][0]["livenessProbes"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, "1.33", strict=True)


def test_manifests_fit_together() -> None:
    pod = manifest("Deployment")["spec"]["template"]
    labels = pod["metadata"]["labels"]
    assert manifest("Service")["spec"]["selector"].items() <= labels.items()
    assert manifest("PodDisruptionBudget")["spec"]["selector"]["matchLabels"].items() <= labels.items()
    assert (
        manifest("HorizontalPodAutoscaler")["spec"]["scaleTargetRef"]["name"]
        == manifest("Deployment")["metadata"]["name"]
    )
    container = pod["spec"]["containers"][0]
    for source in container["envFrom"]:
        for kind, reference in source.items():
            assert manifest({"configMapRef": "ConfigMap", "secretRef": "Secret"}[kind], reference["name"])
    store = manifest("ConfigMap")["data"]["XUANKA_STORE"]
    host = re.match(r"valkey://([^:/]+)", store)
    assert host is not None
    assert manifest("Service", host[1])


def test_pods_are_confined_and_have_time_to_finish() -> None:
    for kind, name in (("Deployment", "xuanka"), ("StatefulSet", "valkey")):
        pod = manifest(kind, name)["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert pod["automountServiceAccountToken"] is False
        security = pod["containers"][0]["securityContext"]
        assert security["readOnlyRootFilesystem"] is True
        assert security["allowPrivilegeEscalation"] is False
        assert security["capabilities"] == {"drop": ["ALL"]}
    pod = manifest("Deployment")["spec"]["template"]["spec"]
    pause = int(pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][1])
    assert pod["terminationGracePeriodSeconds"] > pause + GRACE_S


def test_probes_and_proxies_ask_for_routes_that_exist() -> None:
    async def ready() -> dict[str, str]:
        return {}

    served = {route.path for route in WebChannel(None, ready, Metrics().page).routes()}
    container = manifest("Deployment")["spec"]["template"]["spec"]["containers"][0]
    asked = {container[probe]["httpGet"]["path"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")}
    asked |= set(re.findall(r"127\.0\.0\.1:8081(/\w+)", (DEPLOY / "Dockerfile").read_text(encoding="utf-8")))
    asked |= set(re.findall(r"location = (/\S+)", (DEPLOY / "nginx.conf").read_text(encoding="utf-8")))
    assert {"/healthz", "/readyz", "/metrics"} <= asked <= served
    ports = {port["name"]: str(port["containerPort"]) for port in container["ports"]}
    assert ports["health"] == manifest("ConfigMap")["data"]["XUANKA_HEALTH_PORT"]
    assert f"XUANKA_HEALTH_PORT={ports['health']}" in (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    assert {container[probe]["httpGet"]["port"] for probe in ("startupProbe", "livenessProbe", "readinessProbe")} == {
        "health"
    }


def test_the_store_refuses_before_it_is_killed_for_memory() -> None:
    container = manifest("StatefulSet", "valkey")["spec"]["template"]["spec"]["containers"][0]
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]["valkey"]
    for command, limit in (
        (container["args"], container["resources"]["limits"]["memory"]),
        (compose["command"], compose["mem_limit"]),
    ):
        most = command[command.index("--maxmemory") + 1]
        assert command[command.index("--maxmemory-policy") + 1] == "noeviction"
        assert 0 < megabytes(most) <= 0.75 * megabytes(limit)  # the rest is for writing the log anew


def megabytes(text: str) -> int:
    found = re.fullmatch(r"(\d+)(mb|m|Mi|g|Gi)", text)
    assert found is not None
    return int(found[1]) * (1024 if found[2].casefold().startswith("g") else 1)


def test_the_proxy_tells_who_asks_and_is_believed() -> None:
    assert "proxy_set_header X-Forwarded-For $remote_addr;" in (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]["xuanka"]
    for named in (
        compose["environment"]["XUANKA_HTTP_TRUSTED_PROXIES"],
        manifest("ConfigMap")["data"]["XUANKA_HTTP_TRUSTED_PROXIES"],
    ):
        assert Settings(http_trusted_proxies=named, _env_file=None).http_trusted_proxies


@pytest.mark.parametrize("path", [one for one in sorted(DEPLOY.rglob("*")) if one.is_file()], ids=lambda one: one.name)
def test_every_setting_that_is_named_exists(path: Path) -> None:
    named = set(re.findall(r"XUANKA_[A-Z_]+", path.read_text(encoding="utf-8")))
    assert named <= NAMES


def test_compose_is_confined_and_has_time_to_finish() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))["services"]
    bot = services["xuanka"]
    assert bot["read_only"] is True
    assert bot["cap_drop"] == ["ALL"]
    assert seconds(bot["stop_grace_period"]) > GRACE_S
    assert (DEPLOY / bot["build"]["context"] / bot["build"]["dockerfile"]).is_file()
    assert (DEPLOY / services["proxy"]["volumes"][0].split(":")[0]).is_file()
    assert set(bot["depends_on"]) <= set(services)


def test_the_unit_is_confined_and_has_time_to_finish() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str
    unit.read_string((DEPLOY / "xuanka.service").read_text(encoding="utf-8"))
    service = unit["Service"]
    assert float(service["TimeoutStopSec"]) > GRACE_S
    assert service["NoNewPrivileges"] == "yes"
    assert service["ProtectSystem"] == "strict"
    assert service["DynamicUser"] == "yes"
    assert service["ExecStart"].endswith("xuanka serve")


def test_nginx_accepts_its_file(tmp_path: Path) -> None:
    binary = nginx_binary()
    if binary is None:
        pytest.skip("nginx is not installed (CI installs it)")
    text = (DEPLOY / "nginx.conf").read_text(encoding="utf-8")
    config = tmp_path / "nginx.conf"
    # The name of the service is known only inside compose.
    head = f"pid {tmp_path}/nginx.pid; error_log {tmp_path}/error.log;\n"
    config.write_text(head + text.replace("xuanka:8080", "127.0.0.1:8080"), encoding="utf-8")
    done = subprocess.run(
        [binary, "-t", "-c", str(config), "-e", f"{tmp_path}/error.log"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def counted() -> set[str]:
    """Names that the program can give Prometheus."""
    names = set()
    for family in Metrics().registry.collect():
        suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"], "gauge": [""]}[family.type]
        names |= {family.name + suffix for suffix in suffixes}
    return names


def test_dashboard_and_alerts_ask_only_for_what_is_counted() -> None:
    dashboard = json.loads((DEPLOY / "grafana.json").read_text(encoding="utf-8"))
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    alerts = yaml.safe_load((DEPLOY / "alerts.yaml").read_text(encoding="utf-8"))
    asked += [rule["expr"] for group in alerts["groups"] for rule in group["rules"]]
    used = {name for expression in asked for name in re.findall(r"xuanka_[a-z_]+", expression)}
    assert used <= counted()
    assert {"xuanka_inbox_oldest_seconds", "xuanka_errors_total", "xuanka_ready"} <= used
    labels = {"channel", "outcome", "decision", "intent", "language", "where", "step", "version", "le"}
    assert {name for expression in asked for name in re.findall(r"(\w+)(?:!?=~?)\"", expression)} <= labels
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_the_image_is_small_and_runs_as_nobody_special() -> None:
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    last_stage = max(number for number, line in enumerate(lines) if line.startswith("FROM "))
    assert "-slim" in lines[last_stage]
    assert any(line.startswith("USER 1") for line in lines[last_stage:])
    copied = {
        word for line in lines for word in line.split()[1:-1] if line.startswith("COPY ") and "--from" not in line
    }
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert {f"!{name}" for name in copied} <= set(ignored)
