/** Written by contracts/scripts/build.ts: change the contract and run it again. */
export const batchAbi = [
  {"type":"function","name":"execute","inputs":[{"name":"escrow","type":"address","internalType":"address"},{"name":"gasFloor","type":"uint256","internalType":"uint256"},{"name":"items","type":"tuple[]","internalType":"struct IPaymentBatch.Item[]","components":[{"name":"gasCap","type":"uint64","internalType":"uint64"},{"name":"data","type":"bytes","internalType":"bytes"}]}],"outputs":[{"name":"outcomes","type":"bytes","internalType":"bytes"},{"name":"gasUsed","type":"uint256[]","internalType":"uint256[]"}],"stateMutability":"nonpayable"},
  {"type":"event","name":"Executed","inputs":[{"name":"escrow","type":"address","indexed":true,"internalType":"address"},{"name":"outcomes","type":"bytes","indexed":false,"internalType":"bytes"}],"anonymous":false},
  {"type":"error","name":"FunctionNotAllowed","inputs":[{"name":"index","type":"uint256","internalType":"uint256"},{"name":"selector","type":"bytes4","internalType":"bytes4"}]},
  {"type":"error","name":"GasBelowFloor","inputs":[{"name":"gasLeft","type":"uint256","internalType":"uint256"},{"name":"required","type":"uint256","internalType":"uint256"}]},
  {"type":"error","name":"NotAContract","inputs":[{"name":"escrow","type":"address","internalType":"address"}]},
] as const;
