/** Rows in hand-written statements: all columns of a model, under the names of its scalar fields. */
import { Prisma } from '../generated/prisma/client.ts';

/** A table, and the scalar fields of its model, as `Prisma.<Model>ScalarFieldEnum` lists them. */
export type WrittenTable<Row> = {
  name: string;
  fields: { readonly [Field in keyof Row & string]: Field };
  /** The fields that hold JSON. */
  json: readonly (keyof Row & string)[];
};

/** How a value is read from JSON, for every field whose type JSON lacks. */
export type JsonKinds<Row> = {
  readonly [Field in keyof Row & string as NonNullable<Row[Field]> extends Prisma.Decimal | bigint | Date
    ? Field
    : never]: NonNullable<Row[Field]> extends bigint
    ? 'integer'
    : NonNullable<Row[Field]> extends Date
      ? 'instant'
      : 'decimal';
};

/** A table whose rows are also read as JSON, as relations of others. */
export type RelatedTable<Row> = WrittenTable<Row> & { kinds: JsonKinds<Row> };

type Texts = { into: Prisma.Sql; returned: Prisma.Sql };

const texts = new WeakMap<object, Texts>();

/** Inserts one row with all of its columns, and returns them under their field names, as stored. */
export function insertion<Row extends object>(table: WrittenTable<Row>, row: Row): Prisma.Sql {
  const { into, returned } = textsOf(table);
  const values = fieldsOf(table).map((field) => (table.json.includes(field) ? JSON.stringify(row[field]) : row[field]));
  return Prisma.sql`INSERT INTO ${into} VALUES (${Prisma.join(values)}) RETURNING ${returned}`;
}

/** Sets the same fields of several rows, found by their ids, to different values. */
export function changes<Row extends { id: string }, Field extends keyof Row & string>(
  { name }: Pick<WrittenTable<Row>, 'name'>,
  fields: readonly Field[],
  rows: readonly Pick<Row, 'id' | Field>[],
): Prisma.Sql {
  const set = Prisma.raw(fields.map((field) => `${columnOf(field)} = given.${columnOf(field)}`).join(', '));
  const given = rows.map((row) =>
    Object.fromEntries([['id', row.id], ...fields.map((field) => [columnOf(field), printed(row[field])])]),
  );
  const table = Prisma.raw(name);
  return Prisma.sql`
    UPDATE ${table} SET ${set} FROM json_populate_recordset(NULL::${table}, ${JSON.stringify(given)}::json) AS given
    WHERE ${table}.id = given.id`;
}

/** A value as JSON that a column reads without loss. */
function printed(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return value instanceof Prisma.Decimal ? value.toFixed() : value;
}

const selected = new WeakMap<object, Map<string, Prisma.Sql>>();

/** Returns all columns of a table under an alias, with the names of their fields. */
export function columnsOf<Row extends object>(table: WrittenTable<Row>, alias: string): Prisma.Sql {
  const known = selected.get(table) ?? new Map<string, Prisma.Sql>();
  selected.set(table, known);
  const found = known.get(alias);
  if (found) return found;
  const made = Prisma.raw(columnTexts(table, alias, () => true).join(', '));
  known.set(alias, made);
  return made;
}

/** Returns the columns of the fields that are wanted, in the order of the table, with the names of their fields. */
export function columnTexts<Row extends object>(
  table: WrittenTable<Row>,
  alias: string,
  isWanted: (field: keyof Row & string) => boolean,
): string[] {
  return fieldsOf(table)
    .filter(isWanted)
    .map((field) => `${alias}.${columnOf(field)} AS "${field}"`);
}

/** Converts a JSON row that `columnsOf` selected to the values of its columns. Changes and returns the same object. */
export function rowFromJson<Row>({ kinds }: RelatedTable<Row>, json: Record<string, unknown>): Row {
  for (const [field, kind] of Object.entries(kinds)) {
    const value = json[field];
    if (value !== null) json[field] = parsers[kind as Kind](value as string | number);
  }
  return json as Row;
}

type Kind = 'integer' | 'instant' | 'decimal';

const parsers: { [Name in Kind]: (value: string | number) => unknown } = {
  integer: (value) => BigInt(value),
  instant: (value) => new Date(value),
  decimal: (value) => new Prisma.Decimal(value),
};

/** Returns the column of a field: `appId` becomes `app_id`. */
export function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function textsOf<Row>(table: WrittenTable<Row>): Texts {
  const known = texts.get(table);
  if (known) return known;
  const fields = fieldsOf(table);
  const made = {
    into: Prisma.raw(`${table.name} (${fields.map(columnOf).join(', ')})`),
    returned: Prisma.raw(fields.map((field) => `${columnOf(field)} AS "${field}"`).join(', ')),
  };
  texts.set(table, made);
  return made;
}

function fieldsOf<Row>({ fields }: WrittenTable<Row>): (keyof Row & string)[] {
  return Object.values(fields);
}
