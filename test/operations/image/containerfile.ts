/**
 * Executes the steps of a Containerfile in plain folders, one for each stage, for machines that have no container engine.
 * The base images are not there: the steps find the Node that runs this, and the system's own programs.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, join, matchesGlob } from 'node:path';

export type Step = { instruction: string; text: string };

export type Image = {
  /** Where the image's root is. */
  root: string;
  workdir: string;
  environment: Record<string, string>;
  entrypoint: string[];
};

/** Instructions that do not affect a plain folder: the user of the image and settings of the engine. */
const withoutEffect = ['USER', 'EXPOSE', 'STOPSIGNAL', 'CMD'];

/** The instructions in order, without comments and empty lines. A backslash continues a line. */
export function readSteps(text: string): Step[] {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join('\n')
    .replaceAll(/\\\n/g, ' ')
    .split('\n')
    .map((line) => {
      const [, instruction = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line.trim()) ?? [];
      return { instruction, text: rest };
    });
}

/** Executes every stage below `folder` and returns the last one. Throws for a failed or unknown step. */
export function executeSteps(steps: readonly Step[], options: { context: string; folder: string }): Image {
  const ignored = readFileSync(join(options.context, '.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const programs = programsFolder(options.folder);
  const stages = new Map<string, Image>();
  let stage: Image | undefined;
  for (const { instruction, text } of steps) {
    if (instruction === 'FROM') {
      const name = / AS (\S+)$/.exec(text)?.[1] ?? `stage-${stages.size}`;
      stage = { root: join(options.folder, name), workdir: '/', environment: {}, entrypoint: [] };
      mkdirSync(stage.root, { recursive: true });
      stages.set(name, stage);
      continue;
    }
    if (!stage) throw new Error(`${instruction} comes before FROM.`);
    if (instruction === 'WORKDIR') {
      stage.workdir = text;
      mkdirSync(join(stage.root, text), { recursive: true });
    } else if (instruction === 'ENV') {
      for (const [, name = '', value = ''] of text.matchAll(/(\w+)=(\S+)/g)) stage.environment[name] = value;
    } else if (instruction === 'COPY') copy(text, stage, { ...options, ignored, stages });
    else if (instruction === 'RUN') run(text, stage, programs);
    else if (instruction === 'ENTRYPOINT') stage.entrypoint = JSON.parse(text);
    else if (!withoutEffect.includes(instruction))
      throw new Error(`${instruction} is an instruction that is not known here.`);
  }
  if (!stage) throw new Error('There is no stage.');
  return stage;
}

/** A folder for PATH whose `node` is the one that runs this. */
function programsFolder(folder: string): string {
  const programs = join(folder, 'programs');
  mkdirSync(programs, { recursive: true });
  symlinkSync(process.execPath, join(programs, 'node'));
  return programs;
}

type CopyWorld = { context: string; ignored: readonly string[]; stages: ReadonlyMap<string, Image> };

function copy(text: string, stage: Image, { context, ignored, stages }: CopyWorld): void {
  const words = text.split(/\s+/);
  const paths = words.filter((word) => !word.startsWith('--'));
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const source = from === undefined ? { root: context } : stages.get(from);
  const target = paths.pop();
  if (!source || target === undefined) throw new Error(`COPY ${text} names a stage that is not there.`);
  const isKept = (path: string) => !ignored.some((pattern) => matchesGlob(path, pattern));
  for (const path of paths) {
    const sourcePath = join(source.root, path);
    const isFolder = statSync(sourcePath).isDirectory();
    const place = target.startsWith('/') ? join(stage.root, target) : join(stage.root, stage.workdir, target);
    // The entries of a folder are copied, or a file into a folder.
    const end = isFolder || !target.endsWith('/') ? place : join(place, path.split('/').at(-1) ?? '');
    cpSync(sourcePath, end, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (file) => from !== undefined || isKept(file.slice(context.length + 1)),
    });
  }
}

function run(text: string, stage: Image, programs: string): void {
  const { PATH = '', HOME } = process.env;
  const ended = spawnSync('sh', ['-c', text], {
    cwd: join(stage.root, stage.workdir),
    env: { PATH: `${programs}${delimiter}${PATH}`, HOME, ...stage.environment },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (ended.status !== 0) throw new Error(`RUN ${text} ended with ${ended.status ?? ended.error}.`);
}

/** Bytes of the files below a folder, each counted once. Links are not followed. */
export function bytesBelow(folder: string): number {
  const inodes = new Set<number>();
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { ino, blocks } = statSync(join(entry.parentPath, entry.name));
    if (inodes.has(ino)) continue;
    inodes.add(ino);
    bytes += blocks * 512;
  }
  return bytes;
}
