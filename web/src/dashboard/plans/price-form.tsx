/** Adds a price to a plan, or changes one. Amount, currency and interval cannot be changed, because customers have agreed to them. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import {
  PlanPriceCreateDocument,
  PlanPriceUpdateDocument,
  type PriceFactsFragment,
} from '../../../../generated/web/documents.ts';
import { Checkbox } from '../../ui/fields/checkbox.tsx';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { usePriceWords } from '../resources/use-price-words.ts';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { PriceFields } from './price-fields.tsx';
import {
  hasAmbiguousQuantity,
  meteringParams,
  newPrice,
  type PriceValues,
  priceInput,
  wholeNumber,
} from './price-values.ts';

const params = [
  'amount',
  'currency',
  'billingInterval',
  'billingIntervalCount',
  'trialPeriodDays',
  'nickname',
  'isDefault',
  ...meteringParams,
] as const;

type PriceFormProps = {
  plan: { id: string; planType: 'ONE_TIME' | 'SUBSCRIPTION' };
  price?: PriceFactsFragment;
  onClose: () => void;
};

export function PriceForm({ plan, price, onClose }: PriceFormProps) {
  const { t } = useTranslation();
  const showToast = useToasts();
  const { priceWords } = usePriceWords();
  const [values, setValues] = useState<PriceValues>({
    ...newPrice,
    nickname: price?.nickname ?? '',
    trialPeriodDays: price?.trialPeriodDays == null ? '' : String(price.trialPeriodDays),
  });
  const [isDefault, setDefault] = useState(price?.isDefault ?? false);
  const create = useApiMutation(PlanPriceCreateDocument);
  const update = useApiMutation(PlanPriceUpdateDocument);
  const faults = useFaults(create.error ?? update.error, params);
  const onChange = (part: Partial<PriceValues>) => setValues((before) => ({ ...before, ...part }));
  const send = () => {
    const onSuccess = () => {
      showToast({ title: t(price ? 'catalog.saved' : 'catalog.price.created') });
      onClose();
    };
    const madeDefault = isDefault ? { isDefault } : {};
    if (!price) {
      if (hasAmbiguousQuantity(values, plan.planType)) return;
      const input = { ...priceInput(values, plan.planType), ...madeDefault };
      create.mutate({ productPlanId: plan.id, input }, { onSuccess });
      return;
    }
    const { nickname, trialPeriodDays } = values;
    const trial = trialPeriodDays.trim() === '' ? null : wholeNumber(trialPeriodDays, -1);
    const input = {
      nickname: nickname.trim() || null,
      ...(plan.planType === 'SUBSCRIPTION' ? { trialPeriodDays: trial } : {}),
      ...madeDefault,
    };
    update.mutate({ productPlanId: plan.id, priceId: price.id, input }, { onSuccess });
  };
  return (
    <FormDialog
      title={price ? t('catalog.price.editOf', { price: priceWords(price) }) : t('catalog.price.new')}
      {...(price ? { about: t('catalog.price.editAbout') } : {})}
      action={price ? t('everywhere.save') : t('catalog.price.create')}
      onClose={onClose}
      onSend={send}
      isBusy={create.isPending || update.isPending}
      error={faults.rest}
    >
      {price ? (
        <>
          <TextField
            label={t('catalog.price.nickname')}
            name="nickname"
            value={values.nickname}
            maxLength={255}
            onChange={(event) => onChange({ nickname: event.target.value })}
            error={faults.at('nickname')}
          />
          {plan.planType === 'SUBSCRIPTION' && (
            <TextField
              label={t('catalog.price.trial')}
              name="trialPeriodDays"
              inputMode="numeric"
              hint={t('catalog.price.trialHint')}
              value={values.trialPeriodDays}
              onChange={(event) => onChange({ trialPeriodDays: event.target.value })}
              error={faults.at('trialPeriodDays')}
            />
          )}
        </>
      ) : (
        <PriceFields planType={plan.planType} values={values} onChange={onChange} faultAt={faults.at} />
      )}
      <Checkbox
        label={t('catalog.price.default')}
        hint={t('catalog.price.defaultHint')}
        isChecked={isDefault}
        onChange={setDefault}
        {...(price?.isDefault ? { isDisabled: true } : {})}
      />
    </FormDialog>
  );
}
