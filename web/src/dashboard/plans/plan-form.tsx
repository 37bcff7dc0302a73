/** Creates a plan with its first price, or changes the name and description of a plan. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { PlanCreateDocument, type PlanPageQuery, PlanUpdateDocument } from '../../../../generated/web/documents.ts';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { Select } from '../../ui/fields/select.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { TaxChoice } from '../resources/tax-choice.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PayoutNote } from '../setup/payout-note.tsx';
import { PriceFields } from './price-fields.tsx';
import { hasAmbiguousQuantity, meteringParams, newPrice, type PriceValues, priceInput } from './price-values.ts';

const own = ['name', 'description', 'imageUrl', 'planType', 'taxRateId'] as const;
const priced = [
  'amount',
  'currency',
  'billingInterval',
  'billingIntervalCount',
  'trialPeriodDays',
  'nickname',
  ...meteringParams,
] as const;
const params = [...own, ...priced.map((name) => `prices[0].${name}` as const)];

export function PlanForm({ plan, onClose }: { plan?: PlanPageQuery['productPlan']; onClose: () => void }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [, go] = useLocation();
  const showToast = useToasts();
  const [name, setName] = useState(plan?.name ?? '');
  const [description, setDescription] = useState(plan?.description ?? '');
  const [imageUrl, setImageUrl] = useState(plan?.imageUrl ?? '');
  const [taxRateId, setTaxRateId] = useState(plan?.taxRate?.id ?? '');
  const [planType, setPlanType] = useState<'ONE_TIME' | 'SUBSCRIPTION'>(plan?.planType ?? 'SUBSCRIPTION');
  const [price, setPrice] = useState<PriceValues>(newPrice);
  const create = useApiMutation(PlanCreateDocument);
  const update = useApiMutation(PlanUpdateDocument);
  const faults = useFaults(create.error ?? update.error, params);
  const send = () => {
    const common = {
      name: name.trim(),
      description: description.trim() || null,
      imageUrl: imageUrl.trim() || null,
      taxRateId: taxRateId || null,
    };
    if (plan) {
      update.mutate(
        { id: plan.id, input: common },
        {
          onSuccess: () => {
            showToast({ title: t('catalog.saved') });
            onClose();
          },
        },
      );
      return;
    }
    if (hasAmbiguousQuantity(price, planType)) return;
    const prices = [{ ...priceInput(price, planType), isDefault: true }];
    create.mutate(
      { input: { appId: app.id, ...common, planType, prices } },
      {
        onSuccess: ({ createProductPlan }) => {
          showToast({ title: t('catalog.plan.created') });
          go(`/plans/${createProductPlan.id}`);
        },
      },
    );
  };
  return (
    <FormDialog
      title={plan ? t('catalog.plan.edit') : t('catalog.plan.new')}
      action={plan ? t('everywhere.save') : t('catalog.plan.create')}
      onClose={onClose}
      onSend={send}
      isBusy={create.isPending || update.isPending}
      error={faults.rest}
    >
      {!plan && <PayoutNote isRecurring={planType === 'SUBSCRIPTION'} />}
      <TextField
        label={t('catalog.name')}
        name="name"
        value={name}
        maxLength={255}
        onChange={(event) => setName(event.target.value)}
        error={faults.at('name')}
      />
      {!plan && (
        <>
          <Select
            label={t('catalog.plan.type')}
            value={planType}
            onChange={setPlanType}
            options={[
              { value: 'SUBSCRIPTION', words: t('catalog.plan.SUBSCRIPTION') },
              { value: 'ONE_TIME', words: t('catalog.plan.ONE_TIME') },
            ]}
            error={faults.at('planType')}
          />
          <PriceFields
            planType={planType}
            values={price}
            onChange={(part) => setPrice((before) => ({ ...before, ...part }))}
            faultAt={(param) => faults.at(`prices[0].${param}`)}
          />
        </>
      )}
      <TextArea
        label={t('catalog.description')}
        name="description"
        value={description}
        maxLength={2000}
        onChange={(event) => setDescription(event.target.value)}
        error={faults.at('description')}
      />
      <TextField
        label={t('catalog.plan.image')}
        name="imageUrl"
        type="url"
        hint={t('catalog.plan.imageHint')}
        value={imageUrl}
        onChange={(event) => setImageUrl(event.target.value)}
        error={faults.at('imageUrl')}
      />
      <TaxChoice value={taxRateId} onChange={setTaxRateId} error={faults.at('taxRateId')} />
    </FormDialog>
  );
}
