/** Creates a subscription for a customer, and opens its page, which contains the checkout link. */
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useSearchParams } from 'wouter';
import { SubscriptionCreateDocument } from '../../../../generated/web/documents.ts';
import { useFaults } from '../../ui/fields/form/use-faults.ts';
import { useToasts } from '../../ui/overlays/toasts.tsx';
import { CouponChoice } from '../coupons/coupon-choice.tsx';
import { ChainChoice } from '../resources/chain-choice.tsx';
import { CustomerChoice } from '../resources/customer-choice.tsx';
import { FormDialog } from '../resources/form-dialog.tsx';
import { type ChosenPrice, PriceChoice } from '../resources/price-choice.tsx';
import { everything } from '../resources/selections.ts';
import { useApiMutation } from '../session/use-api-mutation.ts';
import { useDashboard } from '../session/use-dashboard.ts';
import { PayoutNote } from '../setup/payout-note.tsx';

const params = [
  'customerAccountId',
  'productPlanId',
  'productPlanPriceId',
  'couponId',
  'allowedChains',
  'allowedTokens',
] as const;

export function SubscriptionForm({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const { app } = useDashboard();
  const [, go] = useLocation();
  const [search] = useSearchParams();
  const showToast = useToasts();
  const [customerAccountId, setCustomer] = useState(search.get('customer') ?? '');
  const [price, setPrice] = useState<ChosenPrice>();
  const [couponId, setCoupon] = useState('');
  const [selection, setSelection] = useState(everything);
  const create = useApiMutation(SubscriptionCreateDocument);
  const faults = useFaults(create.error, params);
  const send = () => {
    if (!price) return;
    const allowed = { allowedChains: selection.chains, allowedTokens: selection.tokens };
    create.mutate(
      { input: { appId: app.id, customerAccountId, ...price, ...(couponId ? { couponId } : {}), ...allowed } },
      {
        onSuccess: ({ createSubscription }) => {
          showToast({ title: t('subscriptions.created') });
          go(`/subscriptions/${createSubscription.id}`);
        },
      },
    );
  };
  return (
    <FormDialog
      title={t('subscriptions.new')}
      about={t('subscriptions.newAbout')}
      action={t('subscriptions.create')}
      onClose={onClose}
      onSend={send}
      isBusy={create.isPending}
      isDisabled={!price || customerAccountId === ''}
      error={faults.rest}
    >
      <PayoutNote selection={selection} isRecurring />
      <CustomerChoice value={customerAccountId} onChange={setCustomer} error={faults.at('customerAccountId')} />
      <PriceChoice
        planType="SUBSCRIPTION"
        value={price?.productPlanPriceId ?? ''}
        onChange={setPrice}
        none={t('catalog.choice.choosePrice')}
        error={faults.at('productPlanPriceId') ?? faults.at('productPlanId')}
      />
      <CouponChoice value={couponId} onChange={setCoupon} error={faults.at('couponId')} />
      <ChainChoice
        value={selection}
        onChange={setSelection}
        isRecurring
        error={faults.at('allowedChains') ?? faults.at('allowedTokens')}
      />
    </FormDialog>
  );
}
