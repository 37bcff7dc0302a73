/** The tokens of the look. The payment page ignores every value that is not one of these. */
export type CheckoutTheme = {
  /** `auto`, the default, follows the payer's system. */
  scheme?: 'auto' | 'light' | 'dark' | undefined;
  /** `#rrggbb`. Defaults to the accent color of the app. It is adjusted if it is not readable. */
  accent?: string | undefined;
  radius?: 'none' | 'small' | 'medium' | 'large' | undefined;
  font?: 'system' | 'rounded' | 'serif' | 'mono' | undefined;
};

export const themeTokens = ['scheme', 'accent', 'radius', 'font'] as const;
