/**
 * Keeps the numbers of related rows exact. Prisma reads related rows as one JSON value per parent and parses it into doubles, which hold 15
 * to 17 digits, while amounts in base units have up to 78. This module turns every number that a double cannot represent exactly into a
 * string before Prisma parses it. Prisma also creates decimals and big integers from strings.
 */
import type { PrismaPg } from '@prisma/adapter-pg';
import { ColumnTypeEnum, type SqlQueryable } from '@prisma/driver-adapter-utils';
import { Prisma } from '../generated/prisma/client.ts';

/** Matches a JSON string, which stays unchanged, or a number of at least 16 characters. */
const stringOrLongNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{15,}/g;
const longNumber = /\d[\d.eE+-]{15}/;

/** Patches `adapter` so that its results are exact, also in transactions, and returns it. */
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

/** Returns `json` with every number that a double cannot represent exactly in quotes. */
export function quoteInexact(json: string): string {
  if (!longNumber.test(json)) return json;
  return json.replace(stringOrLongNumber, (token) => (token.startsWith('"') || isExact(token) ? token : `"${token}"`));
}

/** A number that was written as a double is exact, so that numbers in metadata stay numbers. */
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
