/** A choice of a price of the app's plans, grouped by plan, or none if that is allowed. */
import { useTranslation } from 'react-i18next';
import { ResourcePlansDocument } from '../../../../generated/web/documents.ts';
import { Select } from '../../ui/fields/select.tsx';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { usePriceWords } from './use-price-words.ts';

export type ChosenPrice = { productPlanId: string; productPlanPriceId: string };

type PriceChoiceProps = {
  value: string;
  onChange: (price: ChosenPrice | undefined) => void;
  planType?: 'SUBSCRIPTION' | 'ONE_TIME';
  /** The first option: no plan, or a request to choose one. */
  none: string;
  label?: string;
  error?: string | undefined;
  hint?: string;
  /** A price that is not offered, such as the current one. */
  without?: string;
};

export function PriceChoice(props: PriceChoiceProps) {
  const { value, onChange, planType, none, label, error, hint, without } = props;
  const { t } = useTranslation();
  const { app } = useDashboard();
  const { priceWords } = usePriceWords();
  const { data } = useAsk(ResourcePlansDocument, { appId: app.id, ...(planType ? { planType } : {}) });
  const offered = (data?.productPlans.nodes ?? []).flatMap((plan) =>
    plan.prices
      .filter((price) => price.isActive && price.id !== without)
      .map((price) => ({
        price,
        words: `${plan.name} · ${priceWords(price)}${price.nickname ? ` (${price.nickname})` : ''}`,
      })),
  );
  const choose = (id: string) => {
    const found = offered.find(({ price }) => price.id === id)?.price;
    onChange(found && { productPlanId: found.productPlanId, productPlanPriceId: found.id });
  };
  return (
    <Select
      label={label ?? t('catalog.choice.price')}
      hint={hint}
      error={error}
      value={value}
      onChange={choose}
      options={[{ value: '', words: none }, ...offered.map(({ price, words }) => ({ value: price.id, words }))]}
    />
  );
}
