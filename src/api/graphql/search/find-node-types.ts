import { type Database, Prisma } from '../../../../prisma/client.ts';
import type { Scope } from '../../../auth/principal.ts';
import type { NodeType } from './node-types.ts';

/**
 * The type of each of `ids`, in one statement: one look by the primary key into the table of each of `types`, among the rows
 * of `reach` where it is not null. An id that none of them has is missing in the answer; of two types that have one, the
 * first counts. It answers no rows: what the caller may see is for the type's own read to say.
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
