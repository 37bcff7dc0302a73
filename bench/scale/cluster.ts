/**
 * PostgreSQL 15 under Patroni and etcd, with HAProxy and pgbouncer in front, in a temporary folder and on free ports. The configuration is
 * that of docs/operations/scale with its placeholders filled in. All of it runs as a user without privileges, because PostgreSQL refuses
 * root.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { checkoutFolder } from '../../src/local/local-settings.ts';
import { bootstrapDatabase } from '../../src/local/postgres/bootstrap-database.ts';
import { freePorts } from '../../test/setup/free-port.ts';
import { missingPackages } from './install-packages.ts';

export type NodeName = 'one' | 'two';

export type Cluster = {
  /** Connects through HAProxy to the primary. */
  directUrl: string;
  /** Connects through pgbouncer and HAProxy to the primary. */
  pooledUrl: string;
  /** Connects as the superuser, through HAProxy to the primary. */
  adminUrl: string;
  /** HAProxy's port for the APIs, which listen on `apiPorts`. */
  apiPort: number;
  apiPorts: readonly [number, number];
  /** The process ids by kind of process, for measuring. */
  pids(): Map<string, number>;
  primary(): Promise<NodeName | undefined>;
  /** The standby whose confirmation every commit waits for. */
  synchronousStandby(): Promise<NodeName | undefined>;
  /** Ends a node as a power cut would: Patroni and every PostgreSQL process by SIGKILL. */
  kill(node: NodeName): void;
  /** Starts the node's Patroni again, as its machine would when it boots. */
  start(node: NodeName): void;
  /** Requests that Patroni move the primary's role to the other node, as before maintenance. Resolves when the other node has it. */
  switchOver(from: NodeName, to: NodeName): Promise<void>;
  /** A role's direct connection to one node, without HAProxy. */
  urlOf(node: NodeName): string;
  stop(): Promise<void>;
};

type Node = { name: NodeName; postgresPort: number; restPort: number; data: string; configFile: string };
type User = { uid: number; gid: number };

const ADDRESS = '127.0.0.1';
const USER = 'postgres';
const BINARIES = '/usr/lib/postgresql/15/bin';
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 15_000;
const role = 'sluice';
const templates = join(checkoutFolder, 'docs', 'operations', 'scale');

export async function openCluster({
  folder,
  print,
}: {
  folder: string;
  print: (line: string) => void;
}): Promise<Cluster> {
  const missing = missingPackages();
  if (missing.length > 0) {
    throw new Error(
      `Debian packages are missing (${missing.join(', ')}). Run "node bench/scale/install-packages.ts" as root.`,
    );
  }
  const user = lookUpUser();
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  chownSync(folder, user.uid, user.gid);
  const running = new Map<string, ChildProcess>();
  const launch = (name: string, command: readonly string[]) =>
    running.set(name, spawnAs(user, { folder, name, command }));
  const secrets = { superuser: secret(), replication: secret(), rewind: secret(), role: secret() };
  const etcdPort = await freePorts(7);
  const [etcdPeerPort, primaryPort, poolerPort] = [etcdPort + 1, etcdPort + 2, etcdPort + 3];
  const [apiPort, firstApi, secondApi] = [etcdPort + 4, etcdPort + 5, etcdPort + 6];
  const nodes = await Promise.all((['one', 'two'] as const).map((name) => describeNode(folder, name)));
  const write = (name: string, template: string, values: Record<string, string | number>) => {
    const file = join(folder, name);
    writeFileSync(file, fill(template, values), { mode: 0o600 });
    chownSync(file, user.uid, user.gid);
    return file;
  };
  for (const node of nodes) {
    write(`patroni-${node.name}.yml`, 'patroni.yml', {
      ...node,
      address: ADDRESS,
      network: `${ADDRESS}/32`,
      etcdHosts: `${ADDRESS}:${etcdPort}`,
      binaries: BINARIES,
      sockets: folder,
      superuserPassword: secrets.superuser,
      replicationPassword: secrets.replication,
      rewindPassword: secrets.rewind,
    });
  }
  const listed = (servers: readonly (readonly [name: string, port: number, checkPort: number])[]) =>
    servers.map(([name, port, checkPort]) => `  server ${name} ${ADDRESS}:${port} check port ${checkPort}`).join('\n');
  const haproxyFile = write('haproxy.cfg', 'haproxy.cfg', {
    address: ADDRESS,
    primaryPort,
    apiPort,
    databaseServers: listed(nodes.map((node) => [node.name, node.postgresPort, node.restPort])),
    apiServers: listed([
      ['api-one', firstApi, firstApi],
      ['api-two', secondApi, secondApi],
    ]),
  });
  const userList = join(folder, 'userlist.txt');
  writeFileSync(userList, `"${role}" "${secrets.role}"\n`, { mode: 0o600 });
  chownSync(userList, user.uid, user.gid);
  const pgbouncerFile = write('pgbouncer.ini', 'pgbouncer.ini', {
    address: ADDRESS,
    primaryPort,
    poolerPort,
    userList,
  });

  const launchNode = (node: Node) => launch(`patroni ${node.name}`, ['/usr/bin/patroni', node.configFile]);
  const nodeOf = (name: NodeName): Node => {
    const found = nodes.find((node) => node.name === name);
    if (!found) throw new Error(`There is no node ${name}.`);
    return found;
  };
  const urlTo = (port: number, who: string, password: string, database = 'sluice') =>
    `postgresql://${who}:${password}@${ADDRESS}:${port}/${database}`;
  const stop = async () => {
    for (const child of [...running.values()].toReversed()) end(child, 'SIGTERM');
    for (const node of nodes) signal(postmasterOf(node), 'SIGINT');
    const deadline = performance.now() + STOP_LIMIT_MS;
    const isAnyRunning = () =>
      [...running.values()].some(isRunning) ||
      nodes.some((node) => existsSync(`/proc/${postmasterOf(node) ?? 0}/stat`));
    while (isAnyRunning() && performance.now() < deadline) await delay(100);
    for (const child of running.values()) end(child, 'SIGKILL');
    for (const node of nodes) signal(postmasterOf(node), 'SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  const cluster: Cluster = {
    directUrl: urlTo(primaryPort, role, secrets.role),
    pooledUrl: urlTo(poolerPort, role, secrets.role),
    adminUrl: urlTo(primaryPort, 'postgres', secrets.superuser),
    apiPort,
    apiPorts: [firstApi, secondApi],
    pids: () => {
      const pids = new Map(
        [...running].filter(([, child]) => isRunning(child)).map(([name, child]) => [name, child.pid ?? 0]),
      );
      for (const node of nodes) pids.set(`PostgreSQL ${node.name}`, postmasterOf(node) ?? 0);
      return pids;
    },
    primary: () => nodeAnswering(nodes, '/primary'),
    synchronousStandby: () => nodeAnswering(nodes, '/synchronous'),
    kill(name) {
      const node = nodeOf(name);
      const patroni = running.get(`patroni ${name}`);
      if (patroni) end(patroni, 'SIGKILL');
      // Its children notice the postmaster's death and end by themselves.
      signal(postmasterOf(node), 'SIGKILL');
    },
    start: (name) => void launchNode(nodeOf(name)),
    async switchOver(from, to) {
      const response = await fetch(`http://${ADDRESS}:${nodeOf(from).restPort}/switchover`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ leader: from, candidate: to }),
        signal: AbortSignal.timeout(START_LIMIT_MS),
      });
      if (!response.ok) throw new Error(`Patroni refused the switchover: ${await response.text()}`);
      await until(`${to} to be the primary`, async () => (await cluster.primary()) === to);
    },
    urlOf: (name) => urlTo(nodeOf(name).postgresPort, role, secrets.role),
    stop,
  };
  try {
    launch('etcd', etcdCommand({ folder, etcdPort, etcdPeerPort }));
    launch('haproxy', ['/usr/sbin/haproxy', '-f', haproxyFile, '-db']);
    launch('pgbouncer', ['/usr/sbin/pgbouncer', pgbouncerFile]);
    for (const node of nodes) {
      launchNode(node);
      // The second node copies the first, which must have started completely.
      await until(`PostgreSQL ${node.name}`, async () => (await statusOf(node, '/health')) === 200);
      if (node.name === 'one') await until('a primary', async () => (await cluster.primary()) !== undefined);
    }
    await until('a synchronous standby', async () => (await cluster.synchronousStandby()) !== undefined);
    await until('the primary through HAProxy', () =>
      answers(urlTo(primaryPort, 'postgres', secrets.superuser, 'postgres')),
    );
    await bootstrapDatabase({ adminUrl: cluster.adminUrl, role, rolePassword: secrets.role });
    await until('the primary through pgbouncer', () => answers(cluster.pooledUrl));
    print(`The cluster runs in ${folder}.`);
    return cluster;
  } catch (error) {
    await stop();
    throw error;
  }
}

async function describeNode(folder: string, name: NodeName): Promise<Node> {
  const postgresPort = await freePorts(2);
  const restPort = postgresPort + 1;
  return {
    name,
    postgresPort,
    restPort,
    data: join(folder, `data-${name}`),
    configFile: join(folder, `patroni-${name}.yml`),
  };
}

function etcdCommand({ folder, etcdPort, etcdPeerPort }: { folder: string; etcdPort: number; etcdPeerPort: number }) {
  const [clients, peers] = [etcdPort, etcdPeerPort].map((port) => `http://${ADDRESS}:${port}`);
  return [
    '/usr/bin/etcd',
    `--data-dir=${join(folder, 'etcd')}`,
    '--name=one',
    `--listen-client-urls=${clients}`,
    `--advertise-client-urls=${clients}`,
    `--listen-peer-urls=${peers}`,
    `--initial-advertise-peer-urls=${peers}`,
    `--initial-cluster=one=${peers}`,
  ];
}

/** Fills in the placeholders of a file in docs/operations/scale. Throws if a placeholder has no value. */
function fill(template: string, values: Record<string, string | number>): string {
  return readFileSync(join(templates, template), 'utf8').replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${template}: there is no value for ${name}.`);
    return String(value);
  });
}

async function nodeAnswering(nodes: readonly Node[], path: string): Promise<NodeName | undefined> {
  for (const node of nodes) if ((await statusOf(node, path)) === 200) return node.name;
  return undefined;
}

async function statusOf({ restPort }: Node, path: string): Promise<number> {
  try {
    const response = await fetch(`http://${ADDRESS}:${restPort}${path}`, { signal: AbortSignal.timeout(2_000) });
    await response.arrayBuffer();
    return response.status;
  } catch {
    return 0;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

export async function until(what: string, isThere: () => Promise<boolean>, limitMs = START_LIMIT_MS): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new Error(`Waited ${limitMs / 1_000} s for ${what}, without success.`);
    await delay(100);
  }
}

function postmasterOf({ data }: Node): number | undefined {
  const file = join(data, 'postmaster.pid');
  if (!existsSync(file)) return undefined;
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return pid > 0 && isPostgresIn(pid, data) ? pid : undefined;
}

function isPostgresIn(pid: number, data: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data);
  } catch {
    return false;
  }
}

function spawnAs(
  user: User,
  { folder, name, command }: { folder: string; name: string; command: readonly string[] },
): ChildProcess {
  const log = openSync(join(folder, `${name.replace(' ', '-')}.log`), 'a');
  const [file = '', ...args] = command;
  const child = spawn(file, args, {
    ...(process.getuid?.() === 0 ? user : {}),
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, LC_ALL: 'C.UTF-8' },
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  child.on('error', () => undefined);
  return child;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function end(child: ChildProcess, name: NodeJS.Signals): void {
  if (isRunning(child)) signal(child.pid, name);
}

function signal(pid: number | undefined, name: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(pid, name);
  } catch {
    // The process ended meanwhile.
  }
}

function lookUpUser(): User {
  const idOf = (flag: string) => Number(spawnSync('id', [flag, USER], { encoding: 'utf8' }).stdout);
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function secret(): string {
  return randomBytes(16).toString('hex');
}
