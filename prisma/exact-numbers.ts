/**
 * Numbers of related rows, exactly. Prisma reads related rows as one JSON value a parent and parses it into doubles, which
 * keep 15 to 17 digits; amounts in base units have up to 78. Here every number that a double cannot hold becomes a string
 * before Prisma parses it; Prisma makes decimals and big integers of strings too.
 */
import type { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlQueryable } from '@prisma/driver-adapter-utils';
import { Prisma } from '../generated/prisma/client.ts';

/** A string of JSON, which stays as it is, or a number of at least 16 characters. */
const stringOrLongNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}/g;
const longNumber = /\d[\d.eE+-]{15}/;

/** Makes what `adapter` reads exact, in transactions too, and returns it. */
export function exactNumbers(adapter: PrismaPg): PrismaPg {
  const connect = adapter.connect.bind(adapter);
  adapter.connect = async () => {
    const connection = readExactly(await connect());
    const begin = connection.startTransaction.bind(connection);
    connection.startTransaction = async (isolationLevel) => readExactly(await begin(isolationLevel));
    return connection;
  };
  return adapter;
}

/** `json` with every number that a double cannot hold in quotes. */
export function quoteInexact(json: string): string {
  if (!longNumber.test(json)) return json;
  return json.replace(stringOrLongNumber, (token) => (token.startsWith('"') || isExact(token) ? token : `"${token}"`));
}

/** What was written as a double before is exact, so that numbers in metadata stay numbers. */
function isExact(digits: string): boolean {
  return new Prisma.Decimal(digits).equals(new Prisma.Decimal(Number(digits)));
}

function readExactly<Queryable extends SqlQueryable>(queryable: Queryable): Queryable {
  const queryRaw = queryable.queryRaw.bind(queryable);
  queryable.queryRaw = async (query) => {
    const answer = await queryRaw(query);
    const columns = answer.columnTypes.flatMap((type, column) => (type === ColumnTypeEnum.Json ? [column] : []));
    for (const row of answer.rows) {
      for (const column of columns) {
        const value = row[column];
        if (typeof value === 'string') row[column] = quoteInexact(value);
      }
    }
    return answer;
  };
  return queryable;
}
