/** Shown with the end of a payment: money of a plain transfer that arrived and was not part of it. */
import { useTranslation } from 'react-i18next';
import type { CheckoutViewFragment } from '../../../../generated/web/documents.ts';
import { tokenOf } from '../../settings.ts';
import { shortAddress } from '../../ui/formats/address.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Note } from '../../ui/state/note.tsx';

export function TransferNote({ payment }: { payment: CheckoutViewFragment['payment'] | undefined }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const transfer = payment?.transfer;
  if (!transfer) return null;
  const [held, returned] = [BigInt(transfer.held), BigInt(transfer.returned)];
  if (held === 0n && returned === 0n) return null;
  const token = tokenOf(transfer.tokenKey);
  const print = (units: bigint) => `${formats.token(units, token?.decimals ?? 0).exact} ${token?.symbol ?? ''}`;
  const address = shortAddress(transfer.refundAddress);
  return (
    <Note tone={held > 0n ? 'wait' : 'quiet'} title={t('transfer.end.title')}>
      {returned > 0n && <p>{t('transfer.end.returned', { amount: print(returned), address })}</p>}
      {held > 0n && <p>{t('transfer.end.held', { amount: print(held), address })}</p>}
    </Note>
  );
}
