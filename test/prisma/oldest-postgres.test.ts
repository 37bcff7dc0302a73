import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
/** SQL of PostgreSQL 16 to 18, which the oldest supported version does not have. */
const NEWER =
  /\b(uuidv[47]|uuid_extract_\w+|any_value|json_table|json_query|json_value|json_exists|array_sample|array_shuffle|crc32c?|casefold)\s*\(|\bMERGE INTO\b|RETURNING (WITH )?\(?(OLD|NEW)\b|\bVIRTUAL\b|WITHOUT OVERLAPS/;
/** A function of the npm package `uuid`. */
const noSql = new Set(['src/platform/identifier.ts']);

it('no statement and no migration requires a PostgreSQL newer than 15', () => {
  const found = ['src', 'prisma'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((file) => join(folder, file))
      .filter((file) => /\.(ts|sql)$/.test(file) && !noSql.has(file))
      .flatMap((file) =>
        readFileSync(join(root, file), 'utf8')
          .split('\n')
          .filter((line) => NEWER.test(line) && !/^\s*(\/\/|\*|--)/.test(line))
          .map((line) => `${file}: ${line.trim()}`),
      ),
  );
  expect(found).toEqual([]);
});
