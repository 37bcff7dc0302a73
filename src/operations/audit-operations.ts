/** The command that reads the audit log of every merchant and of the installation. */
import type { AuditEntry } from '../../prisma/client.ts';
import { auditConditions, auditFilterSchema } from '../auth/audit/audit-filter.ts';
import { invalid } from '../errors.ts';
import { isId } from '../platform/identifier.ts';
import type { Operation, Row } from './operations-world.ts';
import { instant, wholeNumber } from './read-option.ts';

const ROWS = '50';
const MOST_ROWS = 10_000;

export const auditOperations: Record<string, Operation> = {
  audit: {
    usage:
      '[--merchant <id>] [--app <id>] [--action api_key.*] [--target <id>] [--request <id>] [--from <instant>] [--to <instant>] [--limit 50] [--before <entry>]',
    options: ['merchant', 'app', 'action', 'target', 'request', 'from', 'to', 'limit', 'before'],
    async run({ database }, { values }) {
      const { merchant: merchantId, app: appId, before } = ids(values, ['merchant', 'app', 'before']);
      const filter = auditFilterSchema.safeParse({
        action: values.action?.split(','),
        targetId: values.target,
        requestId: values.request,
        from: values.from === undefined ? undefined : instant(values.from, '--from'),
        to: values.to === undefined ? undefined : instant(values.to, '--to'),
      });
      if (!filter.success) {
        throw invalid(filter.error.issues.map(({ path, message }) => ({ param: `--${String(path[0])}`, message })));
      }
      const found = await database.auditEntry.findMany({
        where: {
          ...auditConditions(filter.data),
          ...(merchantId ? { merchantId } : {}),
          ...(appId ? { appId } : {}),
          ...(before ? { id: { lt: before } } : {}),
        },
        orderBy: { id: 'desc' },
        take: wholeNumber(values.limit ?? ROWS, '--limit', { least: 1, most: MOST_ROWS }),
      });
      return found.map(rowOf);
    },
  },
};

function rowOf(entry: AuditEntry): Row {
  return {
    id: entry.id,
    at: entry.createdAt.toISOString(),
    action: entry.action,
    actor: `${entry.actorKind} ${entry.actorName}`,
    merchantId: entry.merchantId,
    appId: entry.appId,
    target: `${entry.targetType} ${entry.targetId ?? ''}`.trimEnd(),
    before: entry.before === null ? null : JSON.stringify(entry.before),
    after: entry.after === null ? null : JSON.stringify(entry.after),
    address: entry.address,
    requestId: entry.requestId,
  };
}

function ids<Name extends string>(
  values: Record<string, string>,
  names: readonly Name[],
): { [Each in Name]?: string | undefined } {
  const faults = names.filter((name) => values[name] !== undefined && !isId(values[name]));
  if (faults.length > 0) throw invalid(faults.map((name) => ({ param: `--${name}`, message: 'must be a UUID' })));
  return Object.fromEntries(names.map((name) => [name, values[name]?.toLowerCase()])) as {
    [Each in Name]?: string | undefined;
  };
}
