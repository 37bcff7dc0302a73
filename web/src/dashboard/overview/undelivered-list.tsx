/** Payouts that the escrow could not deliver: one card for each recipient and token, oldest first. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { OverviewPageDocument, type OverviewPageQuery } from '../../../../generated/web/documents.ts';
import { Button } from '../../ui/button/button.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { UndeliveredCard } from '../payouts/undelivered-card.tsx';

type Sum = OverviewPageQuery['overview']['undelivered'][number];

/** A paused token may have many recipients, so the others are shown on request. */
const SHOWN = 3;

export function UndeliveredList({ sums }: { sums: readonly Sum[] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [isExpanded, setExpanded] = useState(false);
  const shown = isExpanded ? sums : sums.slice(0, SHOWN);
  const rest = sums.length - shown.length;
  return (
    <>
      {shown.map((sum) => (
        <UndeliveredCard
          key={`${sum.role} ${sum.chainId} ${sum.recipient} ${sum.tokenKey}`}
          payout={sum}
          paymentIntentId={sum.paymentIntentId}
          from={OverviewPageDocument}
        >
          <span>
            {t('payouts.count', { count: sum.payments, figure: formats.count(sum.payments) })}{' '}
            <Link href={`/payments/${sum.paymentIntentId}`}>{t('payouts.open', { count: sum.payments })}</Link>
          </span>
        </UndeliveredCard>
      ))}
      {rest > 0 && (
        <div>
          <Button size="small" onPress={() => setExpanded(true)}>
            {t('payouts.more', { count: rest, figure: formats.count(rest) })}
          </Button>
        </div>
      )}
    </>
  );
}
