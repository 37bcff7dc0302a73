/**
 * The official schema engine in its WASM build, connected through adapter-pg, so that migrations need no engine download. It keeps the
 * usual `_prisma_migrations` table and P-codes.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { PrismaPg } from '@prisma/adapter-pg';
import {
  bindMigrationAwareSqlAdapterFactory,
  type ColumnType,
  ColumnTypeEnum,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
  type SqlQuery,
} from '@prisma/driver-adapter-utils';
import * as glue from '@prisma/schema-engine-wasm/schema_engine_bg';
import pg from 'pg';

export type SchemaEngine = glue.SchemaEngine;

/** Type OIDs of the catalog's one-byte `"char"` and of its array type. */
const charOid = 18;
const charArrayOid = 1002;

let loaded = false;

/**
 * Runs `work` with an engine on the database at `url` and closes every connection afterwards. `datamodels` are the schema files as (path,
 * content) pairs. If the work requires a shadow database, it is created on the same server and dropped at the end.
 */
export async function withSchemaEngine<Result>(
  options: { url: string; datamodels: [string, string][] },
  work: (engine: SchemaEngine) => Promise<Result>,
): Promise<Result> {
  loadEngine();
  const closers: (() => Promise<void>)[] = [];
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: 'postgres',
    adapterName: '@prisma/adapter-pg',
    connect: () => connect(options.url, closers),
    connectToShadowDb: () => connectToShadow(options.url, closers),
  };
  try {
    const engine = await glue.SchemaEngine.new(
      { datamodels: options.datamodels },
      () => undefined,
      bindMigrationAwareSqlAdapterFactory(factory),
    );
    try {
      return await work(engine);
    } finally {
      engine.free();
    }
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

/** Instantiates the module manually, because Node does not load WASM through the package's own import. */
function loadEngine(): void {
  if (loaded) return;
  // Without this registry, a panic inside the engine prints no message.
  Reflect.set(globalThis, 'PRISMA_WASM_PANIC_REGISTRY', {
    set_message: (message: string) => console.error(`schema engine: ${message}`),
  });
  const entry = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm');
  const module = new WebAssembly.Module(readFileSync(entry.replace(/schema_engine\.js$/, 'schema_engine_bg.wasm')));
  const instance = new WebAssembly.Instance(module, {
    './schema_engine_bg.js': Object.fromEntries(
      Object.entries(glue).filter(([, value]) => typeof value === 'function'),
    ),
  });
  glue.__wbg_set_wasm(instance.exports);
  const start = instance.exports.__wbindgen_start;
  if (typeof start === 'function') start();
  loaded = true;
}

async function connect(url: string, closers: (() => Promise<void>)[]): Promise<SqlDriverAdapter> {
  // Use a single connection, because the engine's advisory lock belongs to the session that took it.
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  closers.push(() => (pool.ended ? Promise.resolve() : pool.end()));
  const adapter = await new PrismaPg(readingCharColumns(pool)).connect();
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    async queryRaw(query: SqlQuery) {
      const result = await adapter.queryRaw(query);
      return { ...result, columnTypes: result.columnTypes.map(asCharacter) };
    },
    executeRaw: (query) => adapter.executeRaw(query),
    // Send the script whole, as the native engine does. The adapter splits it at every semicolon, including those inside functions.
    executeScript: async (script) => {
      await adapter.executeRaw({ sql: script, args: [], argTypes: [] });
    },
    startTransaction: (isolationLevel) => adapter.startTransaction(isolationLevel),
    getConnectionInfo: () => adapter.getConnectionInfo(),
    dispose: () => (pool.ended ? Promise.resolve() : pool.end()),
  };
}

async function connectToShadow(url: string, closers: (() => Promise<void>)[]): Promise<SqlDriverAdapter> {
  const name = `prisma_migrate_shadow_db_${crypto.randomUUID()}`;
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  closers.push(async () => {
    await admin.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
    await admin.end();
  });
  await admin.query(`CREATE DATABASE "${name}"`);
  const shadowUrl = new URL(url);
  shadowUrl.pathname = `/${name}`;
  return connect(shadowUrl.href, closers);
}

/**
 * adapter-pg has no mapping for columns of the catalog's `"char"` type, which the engine's introspection reads. Such a column is passed as
 * an array of that type, and {@link asCharacter} restores its type.
 */
function readingCharColumns(pool: pg.Pool): pg.Pool {
  return new Proxy(pool, {
    get(target, property) {
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value !== 'function') return value;
      if (property !== 'query') return value.bind(target);
      return async (...args: unknown[]) => {
        const result: { fields?: pg.FieldDef[] } | undefined = await Reflect.apply(value, target, args);
        for (const field of result?.fields ?? []) {
          if (field.dataTypeID === charOid) field.dataTypeID = charArrayOid;
        }
        return result;
      };
    },
  });
}

function asCharacter(type: ColumnType): ColumnType {
  return type === ColumnTypeEnum.CharacterArray ? ColumnTypeEnum.Character : type;
}
