/**
 * Checks deploy/kubernetes.yaml against the schemas of Kubernetes. Fields that no schema knows are found, too: a schema
 * reads the fields that it knows and no others. Needs no cluster.
 */
import { readFileSync } from "node:fs";
import * as apps from "kubernetes-models/apps/v1";
import * as autoscaling from "kubernetes-models/autoscaling/v2";
import * as batch from "kubernetes-models/batch/v1";
import * as networking from "kubernetes-models/networking.k8s.io/v1";
import * as policy from "kubernetes-models/policy/v1";
import * as core from "kubernetes-models/v1";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { createProgram } from "../src/cli/program.ts";

interface Container {
  readonly args: readonly string[];
  readonly securityContext: unknown;
  readonly resources: { readonly limits: { readonly memory: string } };
  readonly livenessProbe?: { readonly httpGet: { readonly path: string } };
}

interface PodSpec {
  readonly containers: readonly [Container];
  readonly securityContext: unknown;
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds?: number;
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: Record<string, unknown>;
}

const text = readFileSync(new URL("../../../deploy/kubernetes.yaml", import.meta.url), "utf8");
const { items } = parse(text, { merge: true }) as { items: Manifest[] };
const nameOf = ({ kind, metadata }: Manifest): string => `${kind} ${metadata.name}`;

interface Model {
  validate(): void;
}
const MODELS = {
  "apps/v1": apps,
  "autoscaling/v2": autoscaling,
  "batch/v1": batch,
  "networking.k8s.io/v1": networking,
  "policy/v1": policy,
  v1: core,
} as unknown as Readonly<Record<string, Readonly<Record<string, { readonly prototype: Model }>>>>;

/** Returns the fields of the manifest that the schema of its kind does not know, or the reason why it is wrong. */
function problemsOf(manifest: Manifest): string[] {
  const KindModel = MODELS[manifest.apiVersion]?.[manifest.kind];
  if (KindModel === undefined) return [`no ${manifest.kind} in ${manifest.apiVersion}`];
  const unread = new Set<string>();
  try {
    // Without its constructor, which copies the fields and so reads all of them.
    KindModel.prototype.validate.call(watched(manifest, "", unread));
  } catch (error) {
    return [(error as Error).message];
  }
  return [...unread];
}

/** Adds the paths of all fields to `unread`, and removes those that are read. */
function watched<T extends object>(value: T, path: string, unread: Set<string>): T {
  const names = Object.keys(value);
  for (const name of names) unread.add(`${path}/${name}`);
  return new Proxy(value, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof name === "symbol" || !names.includes(name)) return found;
      const below = `${path}/${name}`;
      unread.delete(below);
      return typeof found === "object" && found !== null ? watched(found, below, unread) : found;
    },
  });
}

test.each(items.map((item) => [nameOf(item), item] as const))("%s follows its schema", (_, item) => {
  expect(problemsOf(item)).toEqual([]);
});

test("a wrong type and an unknown field are found", () => {
  const [work] = items.filter(({ kind, metadata }) => kind === "Deployment" && metadata.name === "work");
  expect(problemsOf({ ...work!, spec: { ...work!.spec, replicas: "two" } })).toEqual([
    expect.stringContaining("replicas must be integer"),
  ]);
  expect(problemsOf({ ...work!, spec: { ...work!.spec, replicaz: 2 } })).toEqual(["/spec/replicaz"]);
});

interface Pods {
  readonly spec: PodSpec;
  readonly metadata: { readonly labels: object };
}

/** The pods of each manifest that has some, by its name. */
const pods = new Map<string, Pods>(
  items.flatMap((item) => {
    const { spec } = item as { spec?: { template?: Pods; jobTemplate?: { spec: { template: Pods } } } };
    const template = spec?.template ?? spec?.jobTemplate?.spec.template;
    return template === undefined ? [] : [[item.metadata.name, template] as const];
  }),
);

test("each command and flag exists", () => {
  const commands = new Map(createProgram().commands.map((command) => [command.name(), command]));
  const used = [...pods.values()].map(({ spec }) => spec.containers[0].args);
  expect(used.map(([name]) => name)).toEqual(["init", "feed", "work", "compact"]);
  for (const [name, ...args] of used) {
    const flags = commands.get(name!)!.options.map(({ long }) => long);
    expect(flags).toEqual(expect.arrayContaining(args.filter((arg) => arg.startsWith("--"))));
  }
});

test("pods are not root, cannot write to their image, have no token, and keep to their memory", () => {
  for (const [name, { spec }] of pods) {
    expect(spec.automountServiceAccountToken, name).toBe(false);
    expect(spec.securityContext, name).toMatchObject({ runAsNonRoot: true });
    expect(spec.containers[0].securityContext, name).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
  }
  const { args, resources } = pods.get("work")!.spec.containers[0];
  const flag = (name: string): number => Number(args[args.indexOf(name) + 1]);
  expect(Number.parseInt(resources.limits.memory, 10) * 1024).toBeGreaterThan(
    flag("--walkers") * flag("--memory"),
  );
});

test("workers have time to end, and only a process that hangs is restarted", () => {
  const { spec } = pods.get("work")!;
  expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
  expect(spec.containers[0].livenessProbe?.httpGet.path).toBe("/livez");
});

test("selectors match the labels of the pods that they mean", () => {
  const labels = [...pods.values()].map(({ metadata }) => metadata.labels as Record<string, string>);
  const selectors = [...text.matchAll(/(?:matchLabels|selector): \{ (app.*?) \}/g)].map(([, pairs]) =>
    pairs!.split(", ").map((pair) => pair.split(": ") as [string, string]),
  );
  expect(selectors.length).toBeGreaterThanOrEqual(5);
  for (const pairs of selectors) {
    expect(labels.some((own) => pairs.every(([name, value]) => own[name] === value))).toBe(true);
  }
});
