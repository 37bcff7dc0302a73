/** How much of a link's stock is sold, reserved and available. A stock that is exceeded is shown as an error. */
import { useTranslation } from 'react-i18next';
import type { LinkDetailQuery } from '../../../../generated/web/documents.ts';
import { useFormats } from '../../ui/formats/use-formats.ts';
import { Status } from '../../ui/state/status.tsx';

export function LinkStock({ link }: { link: LinkDetailQuery['paymentLink'] }) {
  const { t } = useTranslation();
  const formats = useFormats();
  const sold = formats.count(link.soldQuantity);
  if (link.stock === null || link.stock === undefined) return <>{t('links.stockUnlimited', { sold })}</>;
  const counts = t('links.stockCounts', {
    sold,
    stock: formats.count(link.stock),
    held: formats.count(link.reservedQuantity),
    left: formats.count(link.availableQuantity ?? 0),
  });
  return (
    <>
      {counts} {link.soldQuantity > link.stock && <Status status="FAILED">{t('links.oversold')}</Status>}
      {link.soldQuantity === link.stock && <Status status="INACTIVE">{t('links.soldOut')}</Status>}
    </>
  );
}
