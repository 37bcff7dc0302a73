/** The tariff of a metered price in lines, the same for the payer who signs it and the merchant who set it. */
import { useTranslation } from 'react-i18next';
import type { MeteringScheme } from '../../../../generated/web/documents.ts';
import { isZero } from '../formats/money.ts';
import { useFormats } from '../formats/use-formats.ts';

export type Tariff = {
  scheme: MeteringScheme;
  unitName: string;
  includedUnits: string;
  unitAmount: string | null;
  tiers: readonly { upTo: string | null; unitAmount: string; flatAmount: string | null }[];
};

export function useTariffLines(): (tariff: Tariff, currency: string) => string[] {
  const { t } = useTranslation();
  const formats = useFormats();
  return ({ scheme, unitName: unit, includedUnits, unitAmount, tiers }, currency) => {
    const price = (amount: string) => formats.fiat(amount, currency);
    const tierLine = ({ upTo, unitAmount: each, flatAmount }: Tariff['tiers'][number], index: number) => {
      const words = upTo
        ? t('everywhere.tariff.upTo', { quantity: formats.quantity(upTo), price: price(each), unit })
        : t(index === 0 ? 'everywhere.tariff.each' : 'everywhere.tariff.above', { price: price(each), unit });
      return flatAmount ? `${words} ${t('everywhere.tariff.flat', { price: price(flatAmount) })}` : words;
    };
    return [
      ...(isZero(includedUnits)
        ? []
        : [t('everywhere.tariff.included', { quantity: formats.quantity(includedUnits), unit })]),
      ...(unitAmount ? [t('everywhere.tariff.each', { price: price(unitAmount), unit })] : []),
      ...tiers.map(tierLine),
      ...(scheme === 'VOLUME' ? [t('everywhere.tariff.volume')] : []),
    ];
  };
}
