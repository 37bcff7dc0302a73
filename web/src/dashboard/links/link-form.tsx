/** Creates or changes a payment link. Each field shows the API's error about it. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import {
  LinkCreateDocument,
  type LinkDetailQuery,
  LinkUpdateDocument,
  ResourcePlansDocument,
} from '../../../../generated/web/documents.ts';
import { settings } from '../../settings.ts';
import { Checkbox } from '../../ui/fields/checkbox.tsx';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { Select } from '../../ui/fields/select.tsx';
import { TextArea } from '../../ui/fields/text-area.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { CouponChoice } from '../coupons/coupon-choice.tsx';
import { ChainChoice } from '../resources/chain-choice.tsx';
import { CurrencyChoice } from '../resources/currency-choice.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { PriceChoice } from '../resources/price-choice.tsx';
import styles from '../resources/resources.module.css';
import { TaxChoice } from '../resources/tax-choice.tsx';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useAsk } from '../session/use-ask.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PayoutNote } from '../setup/payout-note.tsx';
import { type LinkValues, linkInput, linkValues, newLink, slugOf } from './link-values.ts';

const params = [
  'name',
  'slug',
  'description',
  'amount',
  'currency',
  'productPlanId',
  'productPlanPriceId',
  'taxRateId',
  'minimumQuantity',
  'maximumQuantity',
  'stock',
  'couponId',
  'allowCouponCodes',
  'successUrl',
  'cancelUrl',
  'allowedChains',
  'allowedTokens',
] as const;

export function LinkForm({ link, onClose }: { link?: LinkDetailQuery['paymentLink']; onClose: () => void }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [, go] = useLocation();
  const showToast = useToasts();
  const [values, setValues] = useState<LinkValues>(() => (link ? linkValues(link) : newLink));
  const [hasOwnSlug, setOwnSlug] = useState(link !== undefined);
  const create = useApiMutation(LinkCreateDocument);
  const update = useApiMutation(LinkUpdateDocument);
  const faults = useFaults(create.error ?? update.error, params);
  const set = (part: Partial<LinkValues>) => setValues((before) => ({ ...before, ...part }));
  const setName = (name: string) => set({ name, ...(hasOwnSlug ? {} : { slug: slugOf(name) }) });
  const send = () => {
    const input = linkInput(values);
    const onSaved = () => {
      showToast({ title: t('catalog.saved') });
      onClose();
    };
    if (link) update.mutate({ id: link.id, input }, { onSuccess: onSaved });
    else {
      create.mutate(
        { input: { appId: app.id, ...input } },
        {
          onSuccess: ({ createPaymentLink }) => {
            showToast({ title: t('links.created') });
            go(`/links/${createPaymentLink.id}?share=1`);
          },
        },
      );
    }
  };
  return (
    <FormDialog
      title={link ? t('links.edit') : t('links.new')}
      action={link ? t('everywhere.save') : t('links.create')}
      onClose={onClose}
      onSend={send}
      isBusy={create.isPending || update.isPending}
      error={faults.rest}
      isWide
    >
      <LinkPayoutNote values={values} link={link} />
      <div className={styles.pair}>
        <TextField
          label={t('catalog.name')}
          name="name"
          hint={t('links.nameHint')}
          value={values.name}
          maxLength={255}
          onChange={(event) => setName(event.target.value)}
          error={faults.at('name')}
        />
        <TextField
          label={t('links.slug')}
          name="slug"
          hint={`${settings.publicUrl}/link/${values.slug || '…'}`}
          value={values.slug}
          maxLength={100}
          spellCheck={false}
          onChange={(event) => {
            setOwnSlug(true);
            set({ slug: event.target.value });
          }}
          error={faults.at('slug')}
        />
      </div>
      <LinkPricingFields values={values} set={set} faultAt={faults.at} />
      <LinkQuantityFields values={values} set={set} faultAt={faults.at} />
      <CouponChoice
        value={values.couponId}
        present={link?.coupon}
        onChange={(couponId) => set({ couponId })}
        error={faults.at('couponId') ?? faults.at('allowCouponCodes')}
      />
      <Checkbox
        label={t('links.coupon.allowCodes')}
        hint={t('links.coupon.allowCodesHint')}
        isChecked={values.allowCouponCodes}
        onChange={(allowCouponCodes) => set({ allowCouponCodes })}
      />
      <TextArea
        label={t('catalog.description')}
        name="description"
        hint={t('links.descriptionHint')}
        value={values.description}
        maxLength={2000}
        onChange={(event) => set({ description: event.target.value })}
        error={faults.at('description')}
      />
      <Checkbox
        label={t('links.billing')}
        hint={t('links.billingHint')}
        isChecked={values.requireBillingDetails}
        onChange={(requireBillingDetails) => set({ requireBillingDetails })}
      />
      <ChainChoice
        value={values.selection}
        onChange={(selection) => set({ selection })}
        error={faults.at('allowedChains') ?? faults.at('allowedTokens')}
      />
      <div className={styles.pair}>
        <TextField
          label={t('links.successUrl')}
          name="successUrl"
          type="url"
          hint={t('links.successUrlHint')}
          value={values.successUrl}
          onChange={(event) => set({ successUrl: event.target.value })}
          error={faults.at('successUrl')}
        />
        <TextField
          label={t('links.cancelUrl')}
          name="cancelUrl"
          type="url"
          hint={t('links.cancelUrlHint')}
          value={values.cancelUrl}
          onChange={(event) => set({ cancelUrl: event.target.value })}
          error={faults.at('cancelUrl')}
        />
      </div>
    </FormDialog>
  );
}

/** A product that is sold as a subscription needs a network that takes recurring payments. */
function LinkPayoutNote({ values, link }: { values: LinkValues; link: LinkDetailQuery['paymentLink'] | undefined }) {
  const { app } = useDashboard();
  const { data } = useAsk(ResourcePlansDocument, { appId: app.id });
  // The product of a link may be archived, and is then not among those on offer.
  const plans = [link?.productPlan, ...(data?.productPlans.nodes ?? [])];
  const plan = values.pricing === 'price' ? plans.find((one) => one?.id === values.productPlanId) : undefined;
  return <PayoutNote selection={values.selection} isRecurring={plan?.planType === 'SUBSCRIPTION'} />;
}

type PricingFieldsProps = {
  values: LinkValues;
  set: (part: Partial<LinkValues>) => void;
  faultAt: (param: (typeof params)[number]) => string | undefined;
};

function LinkQuantityFields({ values, set, faultAt }: PricingFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label={t('links.minimumQuantity')}
          name="minimumQuantity"
          type="number"
          min={1}
          step={1}
          value={values.minimumQuantity}
          onChange={(event) => set({ minimumQuantity: event.target.value })}
          error={faultAt('minimumQuantity')}
        />
        <TextField
          label={t('links.maximumQuantity')}
          name="maximumQuantity"
          type="number"
          min={1}
          step={1}
          hint={t('links.quantityHint')}
          value={values.maximumQuantity}
          onChange={(event) => set({ maximumQuantity: event.target.value })}
          error={faultAt('maximumQuantity')}
        />
      </div>
      <TextField
        label={t('links.stock')}
        name="stock"
        type="number"
        min={0}
        step={1}
        hint={t('links.stockHint')}
        value={values.stock}
        onChange={(event) => set({ stock: event.target.value })}
        error={faultAt('stock')}
      />
    </>
  );
}

function LinkPricingFields({ values, set, faultAt }: PricingFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <div className={styles.pair}>
        <Select
          label={t('links.pricing')}
          value={values.pricing}
          onChange={(pricing) => set({ pricing })}
          options={[
            { value: 'amount', words: t('links.pricingAmount') },
            { value: 'price', words: t('links.pricingPrice') },
            { value: 'open', words: t('links.pricingOpen') },
          ]}
        />
        <TaxChoice
          value={values.taxRateId}
          onChange={(taxRateId) => set({ taxRateId })}
          error={faultAt('taxRateId')}
          none={values.pricing === 'price' ? t('links.taxOfPlan') : t('catalog.tax.none')}
        />
      </div>
      {values.pricing === 'price' ? (
        <PriceChoice
          value={values.productPlanPriceId}
          onChange={(price) => set(price ?? { productPlanId: '', productPlanPriceId: '' })}
          none={t('catalog.choice.choosePrice')}
          error={faultAt('productPlanPriceId') ?? faultAt('productPlanId')}
        />
      ) : (
        <div className={styles.pair}>
          {values.pricing === 'amount' && (
            <TextField
              label={t('catalog.price.amount')}
              name="amount"
              inputMode="decimal"
              hint={t('catalog.price.amountHint')}
              value={values.amount}
              onChange={(event) => set({ amount: event.target.value })}
              error={faultAt('amount')}
            />
          )}
          <CurrencyChoice
            value={values.currency}
            onChange={(currency) => set({ currency })}
            error={faultAt('currency')}
          />
        </div>
      )}
    </>
  );
}
