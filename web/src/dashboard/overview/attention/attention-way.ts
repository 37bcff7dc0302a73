/** The URL of the list that shows what a problem counts, with the matching filter. */
import type { OverviewAttentionQuery } from '../../../../../generated/web/documents.ts';

export type Problem = OverviewAttentionQuery['attention'][number];

export function attentionWay({ kind, createdFrom }: Pick<Problem, 'kind' | 'createdFrom'>): string {
  switch (kind) {
    case 'OPEN_DISPUTES':
      return '/disputes?show=open';
    case 'UNDELIVERED_PAYMENTS':
      return '/payments?flags=UNDELIVERED';
    case 'FAILED_RENEWALS':
      return '/subscriptions?renewal=failed';
    case 'DISABLED_WEBHOOKS':
      return '/developers?tab=webhooks';
    case 'MISPAID_PAYMENTS':
      return `/payments?flags=MISPAID${fromDay(createdFrom)}`;
    case 'LATE_PAYMENTS':
      return `/payments?flags=LATE${fromDay(createdFrom)}`;
    default:
      return kind satisfies never;
  }
}

/** The filter consists of whole days in the viewer's zone. */
function fromDay(createdFrom: string | null | undefined): string {
  if (!createdFrom) return '';
  const day = new Date(createdFrom);
  const two = (part: number) => String(part).padStart(2, '0');
  return `&from=${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
