import { type Database, Prisma } from '../../../../prisma/client.ts';
import type { Scope } from '../../../auth/principal.ts';
import type { NodeType } from './node-types.ts';

/**
 * Finds the type of each of `ids` in one statement, with one lookup by primary key in the table of each of `types`, limited to the rows of
 * `reach` if it is not null. Ids that no table contains are missing in the result, and the first of several types counts. It returns no
 * rows, because the type's own read decides what the caller may see.
 */
export async function findNodeTypes(
  database: Pick<Database, '$queryRaw'>,
  { ids, types, reach }: { ids: string[]; types: readonly NodeType[]; reach: Scope | null },
): Promise<Map<string, NodeType>> {
  const looks = types.map(
    ({ table, owner }, place) =>
      Prisma.sql`SELECT ${Prisma.raw(String(place))} AS place FROM ${Prisma.raw(table)} WHERE held.id = asked.id AND ${ownedBy(owner, reach)}`,
  );
  const rows = await database.$queryRaw<{ id: string; place: number }[]>`
    SELECT asked.id::text AS id, min(found.place) AS place FROM unnest(${ids}::uuid[]) AS asked(id)
    CROSS JOIN LATERAL (${Prisma.join(looks, ' UNION ALL ')}) AS found GROUP BY asked.id`;
  return new Map(
    rows.flatMap(({ id, place }) => {
      const type = types[place];
      return type ? [[id, type] as const] : [];
    }),
  );
}

function ownedBy({ app, merchant }: NodeType['owner'], reach: Scope | null): Prisma.Sql {
  if (reach === null) return Prisma.sql`true`;
  const { merchantId, appId } = reach;
  if (app !== undefined && appId !== null) return Prisma.sql`${Prisma.raw(app)} = ${appId}::uuid`;
  if (merchant !== undefined) return Prisma.sql`${Prisma.raw(merchant)} = ${merchantId}::uuid`;
  if (app === undefined) return Prisma.sql`true`;
  return Prisma.sql`${Prisma.raw(app)} IN (SELECT app.id FROM app WHERE app.merchant_id = ${merchantId}::uuid)`;
}
