// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {PaymentEscrow} from "../PaymentEscrow.sol";
import {UsdcToken} from "../tokens/UsdcToken.sol";
import {UsdtToken} from "../tokens/UsdtToken.sol";

/// @notice The few cheatcodes that these tests use.
interface Vm {
    struct Log {
        bytes32[] topics;
        bytes data;
        address emitter;
    }

    function prank(address caller) external;
    function envOr(string calldata name, bytes calldata fallbackValue) external view returns (bytes memory);
    function warp(uint256 timestamp) external;
    function chainId(uint256 id) external;
    function deal(address account, uint256 balance) external;
    function etch(address account, bytes calldata code) external;
    function addr(uint256 key) external pure returns (address);
    function sign(uint256 key, bytes32 digest) external pure returns (uint8 v, bytes32 r, bytes32 s);
    function recordLogs() external;
    function getRecordedLogs() external returns (Log[] memory);
    function expectEmit(bool topic1, bool topic2, bool topic3, bool data) external;
}

/// @notice One escrow, two coins, one account for each party, and ways to say what is expected.
abstract contract Base {
    Vm internal constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    uint256 internal constant PAYER_KEY = 0xA11CE;
    uint256 internal constant OPERATOR_KEY = 0x0B0B;
    uint256 internal constant STRANGER_KEY = 0x57A6;
    uint256 internal constant START = 1_800_000_000;
    uint128 internal constant AMOUNT = 25_000_003;

    PaymentEscrow internal escrow;
    UsdcToken internal usdc;
    UsdtToken internal usdt;
    address internal payer = vm.addr(PAYER_KEY);
    address internal operator = vm.addr(OPERATOR_KEY);
    address internal stranger = vm.addr(STRANGER_KEY);
    address internal merchant = address(0x3E2C4A27);
    address internal arbiter = address(0xA2B17E2);
    address internal feeRecipient = address(0xFEE);
    uint256 private _serial;

    function setUp() public virtual {
        vm.warp(START);
        escrow = new PaymentEscrow();
        // The released code, or a mutant's, when the caller names one.
        bytes memory code = vm.envOr("ESCROW_RUNTIME_CODE", bytes(""));
        if (code.length != 0) vm.etch(address(escrow), code);
        usdc = new UsdcToken();
        usdt = new UsdtToken();
        usdc.mint(payer, 1e15);
        usdt.mint(payer, 1e15);
        vm.deal(payer, 1e24);
        vm.prank(payer);
        usdc.approve(address(escrow), type(uint256).max);
        vm.prank(payer);
        usdt.approve(address(escrow), type(uint256).max);
    }

    /// @dev A captured payment of USDC with a fee of 2.5 %, a timelock of 7 days and a dispute window of 3.
    function newTerms() internal returns (IPaymentEscrow.PaymentTerms memory terms) {
        _serial++;
        terms.intentId = keccak256(abi.encode("intent", _serial));
        terms.payer = payer;
        terms.merchant = merchant;
        terms.token = address(usdc);
        terms.amount = AMOUNT;
        terms.authorizeBy = uint40(block.timestamp + 30 minutes);
        terms.captureBy = uint40(block.timestamp + 5 days);
        terms.timelock = 7 days;
        terms.disputeWindow = 3 days;
        terms.disputeTimeout = 30 days;
        terms.timeoutPayerBps = 4_000;
        terms.feeBps = 250;
        terms.feeRecipient = feeRecipient;
        terms.operator = operator;
        terms.arbiter = arbiter;
        terms.quoteHash = keccak256(abi.encode("quote", _serial));
        terms.captureOnAuthorize = true;
    }

    function newHold() internal returns (IPaymentEscrow.PaymentTerms memory terms) {
        terms = newTerms();
        terms.captureOnAuthorize = false;
    }

    function sign(uint256 key, bytes32 digest) internal pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function signed(uint256 key, IPaymentEscrow.PaymentTerms memory terms) internal view returns (bytes memory) {
        return sign(key, digestOf(escrow.idOf(terms)));
    }

    function domainSeparator(address escrow_, uint256 chainId) internal pure returns (bytes32) {
        return keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Sluice"),
                keccak256("2"),
                chainId,
                escrow_
            )
        );
    }

    function digestOf(bytes32 structHash) internal view returns (bytes32) {
        return keccak256(abi.encodePacked(hex"1901", domainSeparator(address(escrow), block.chainid), structHash));
    }

    function authorizeCall(IPaymentEscrow.PaymentTerms memory terms) internal view returns (bytes memory) {
        return abi.encodeCall(escrow.authorize, (terms, signed(OPERATOR_KEY, terms)));
    }

    /// @dev Opens the payment as its payer does.
    function open(IPaymentEscrow.PaymentTerms memory terms) internal returns (bytes32 id) {
        id = escrow.idOf(terms);
        bytes memory data = authorizeCall(terms);
        vm.prank(terms.payer);
        _succeed(terms.token == address(0) ? terms.amount : 0, data);
    }

    function done(address caller, bytes memory data) internal {
        vm.prank(caller);
        _succeed(0, data);
    }

    function refused(address caller, bytes memory data, bytes memory failure) internal {
        refusedWithValue(caller, 0, data, failure);
    }

    function refusedWithValue(address caller, uint256 value, bytes memory data, bytes memory failure) internal {
        vm.prank(caller);
        (bool ok, bytes memory answer) = address(escrow).call{value: value}(data);
        require(!ok, "expected a revert");
        if (keccak256(answer) != keccak256(failure)) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    /// @dev Refused for any reason, such as a revert of the token's own.
    function refusedAnyhow(address caller, bytes memory data) internal {
        vm.prank(caller);
        (bool ok,) = address(escrow).call(data);
        require(!ok, "expected a revert");
    }

    function _succeed(uint256 value, bytes memory data) private {
        (bool ok, bytes memory answer) = address(escrow).call{value: value}(data);
        if (!ok) {
            assembly {
                revert(add(answer, 0x20), mload(answer))
            }
        }
    }

    function hasState(bytes32 id, IPaymentEscrow.Status status, uint128 left) internal view {
        (IPaymentEscrow.Status actual, uint128 actualLeft,,) = escrow.stateOf(id);
        eq(uint8(actual), uint8(status), "status");
        eq(actualLeft, left, "left");
    }

    function wrongStatus(bytes32 id, IPaymentEscrow.Status actual, IPaymentEscrow.Status required)
        internal
        pure
        returns (bytes memory)
    {
        return abi.encodeWithSelector(IPaymentEscrow.WrongStatus.selector, id, actual, required);
    }

    function notAllowed(address caller) internal view returns (bytes memory) {
        return abi.encodeWithSelector(IPaymentEscrow.NotOperatorOrMerchant.selector, caller, operator, merchant);
    }

    function expectEvent() internal {
        vm.expectEmit(true, true, true, true);
    }

    function feeOf(uint256 amount) internal pure returns (uint256) {
        return amount * 250 / 10_000;
    }

    error Different(uint256 actual, uint256 expected, string what);

    function eq(uint256 actual, uint256 expected, string memory what) internal pure {
        if (actual != expected) revert Different(actual, expected, what);
    }

    function eq(bytes32 actual, bytes32 expected, string memory what) internal pure {
        eq(uint256(actual), uint256(expected), what);
    }

    function bound(uint256 value, uint256 low, uint256 high) internal pure returns (uint256) {
        return low + value % (high - low + 1);
    }
}
