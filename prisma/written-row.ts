/** Rows in hand-written statements: all columns of a model, under the names of its scalar fields. */
import { Prisma } from '../generated/prisma/client.ts';

/** A table, and the scalar fields of its model, as `Prisma.<Model>ScalarFieldEnum` lists them. */
export type WrittenTable<Row> = {
  name: string;
  fields: { readonly [Field in keyof Row & string]: Field };
  /** The fields that hold JSON. */
  json: readonly (keyof Row & string)[];
};

type Texts = { into: Prisma.Sql; returned: Prisma.Sql };

const texts = new WeakMap<object, Texts>();

/** Inserts one row with all of its columns, and returns them under their field names, as stored. */
export function insertion<Row extends object>(table: WrittenTable<Row>, row: Row): Prisma.Sql {
  const { into, returned } = textsOf(table);
  const values = fieldsOf(table).map((field) => (table.json.includes(field) ? JSON.stringify(row[field]) : row[field]));
  return Prisma.sql`INSERT INTO ${into} VALUES (${Prisma.join(values)}) RETURNING ${returned}`;
}

const selected = new WeakMap<object, Map<string, Prisma.Sql>>();

/** Returns all columns of a table under an alias, with the names of their fields. */
export function columnsOf<Row extends object>(table: WrittenTable<Row>, alias: string): Prisma.Sql {
  const known = selected.get(table) ?? new Map<string, Prisma.Sql>();
  selected.set(table, known);
  const found = known.get(alias);
  if (found) return found;
  const made = Prisma.raw(
    fieldsOf(table)
      .map((field) => `${alias}.${columnOf(field)} AS "${field}"`)
      .join(', '),
  );
  known.set(alias, made);
  return made;
}

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
