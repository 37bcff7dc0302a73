/** Returned money that could not be sent to the payer's wallet, with a link to the payer's own page to collect it. */
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { tokenOf } from '../../settings.ts';
import { ButtonLink } from '../../ui/button/button-link.tsx';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Note } from '../../ui/state/note.tsx';

export function CollectNote({ payment }: { payment: CheckoutViewFragment['payment'] | undefined }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const [first] = payment?.undelivered ?? [];
  if (!payment?.walletAddress || !first) return null;
  // A payment is in one token, and so is everything that is returned from it.
  const units = payment.undelivered.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  const token = tokenOf(first.tokenKey);
  const amount = `${formats.token(units, token?.decimals ?? 0).exact} ${token?.symbol ?? first.tokenKey}`;
  return (
    <Note
      tone="wait"
      title={t('checkout.collect.title', { amount })}
      actions={
        <ButtonLink look="primary" isWide href={`/pay/${payment.walletAddress}`}>
          {t('checkout.collect.way', { amount })}
        </ButtonLink>
      }
    >
      {t('checkout.collect.words')}
    </Note>
  );
}
