/**
 * The script of the page on which a customer repairs a failed renewal: increases the token approval with a wallet of this browser, and has
 * the renewal charged. The server prints the page, which works without this script too.
 */
import { walletFault } from '../wallet/evm/wallet-fault.ts';
import { type Approval, approve, OtherAccount, Reverted, TooSlow } from './approve.ts';
import { type FoundWallet, followWallets } from './found-wallets.ts';

type Words = { approve: string; walletName: string; nameless: string; states: Record<string, string> };

const section = document.querySelector<HTMLElement>('[data-approval]');
const place = section?.querySelector('[data-wallets]');
const state = section?.querySelector('.state');
const form = section?.querySelector('form');
if (section && place && state && form) {
  const { words, ...approval }: Approval & { words: Words } = JSON.parse(section.dataset.approval ?? '');
  const calm = new Set(['CONNECTING', 'SENDING', 'WAITING', 'DONE']);
  const showState = (name: string) => {
    state.classList.toggle('calm', calm.has(name));
    state.textContent = words.states[name] ?? '';
  };
  const enable = (isEnabled: boolean) => {
    for (const button of section.querySelectorAll('button')) button.disabled = !isEnabled;
  };
  const press = async ({ provider }: FoundWallet) => {
    enable(false);
    try {
      await approve(provider, approval, showState);
      showState('DONE');
      form.submit();
    } catch (error) {
      showState(faultOf(error));
      enable(true);
    }
  };
  followWallets((wallets) => {
    place.replaceChildren(
      ...wallets.map((wallet) => {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = words.approve.replace(words.walletName, wallet.name ?? words.nameless);
        button.addEventListener('click', () => void press(wallet));
        return button;
      }),
    );
  });
}

function faultOf(error: unknown): string {
  if (error instanceof OtherAccount) return 'OTHER_ACCOUNT';
  if (error instanceof Reverted) return 'REVERTED';
  if (error instanceof TooSlow) return 'SLOW';
  return walletFault(error);
}
