// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {Consents} from "./Consents.sol";
import {ReentrantToken} from "./tokens/HostileTokens.sol";

/// @notice A token that signs for whatever it is asked to, and so could agree to pay or to be paid.
contract SigningToken is ReentrantToken {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return this.isValidSignature.selector;
    }

    function permit(address, address, uint256, uint256, uint8, bytes32, bytes32) external {}

    function receiveWithAuthorization(
        address from,
        address to,
        uint256 value,
        uint256,
        uint256,
        bytes32,
        uint8,
        bytes32,
        bytes32
    ) external {
        _move(from, to, value);
    }

    function allow(address from, address spender, uint256 value) external {
        allowance[from][spender] = value;
    }
}

/// @notice Who can be no party: the escrow and the token could never use the money; an operator is no arbiter.
contract PartiesTest is Consents {
    SigningToken private token;

    function setUp() public override {
        super.setUp();
        token = new SigningToken();
        token.mint(address(token), 1e15);
        token.mint(address(escrow), 1e15);
        token.mint(payer, 1e15);
        token.allow(address(token), address(escrow), 1e15);
        token.allow(address(escrow), address(escrow), 1e15);
        token.allow(payer, address(escrow), 1e15);
    }

    function test_sinksAreRefusedOnEveryWayIn() public {
        for (uint256 sink = 0; sink < 2; sink++) {
            address party = sink == 0 ? address(escrow) : address(token);
            for (uint256 role = 0; role < 3; role++) {
                IPaymentEscrow.PaymentTerms memory terms = newTerms();
                terms.token = address(token);
                if (role == 0) terms.payer = party;
                if (role == 1) terms.merchant = party;
                if (role == 2) terms.feeRecipient = party;
                // A fee recipient is refused without a fee too.
                if (role == 2 && sink == 0) terms.feeBps = 0;
                // The escrow never calls nor signs: the next test.
                if (role == 0 && sink == 0) continue;
                refusedOnEveryWay(terms, abi.encodeWithSelector(IPaymentEscrow.SinkParty.selector, party));
            }
        }
    }

    function test_theEscrowPaysNothingToItself() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        terms.payer = address(escrow);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.SinkParty.selector, address(escrow));
        refused(address(escrow), authorizeCall(terms), failure);
        // The ERC-3009 way asks the token only, and this one says yes to everything.
        refused(stranger, receiveCall(terms), failure);
    }

    function test_anArbiterThatIsTheOperatorIsRefusedOnEveryWayIn() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(token);
        terms.arbiter = operator;
        refusedOnEveryWay(terms, abi.encodeWithSelector(IPaymentEscrow.ArbiterIsOperator.selector, operator));
    }

    function test_sinksOfTheNativeCoinAreRefused() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(0);
        terms.merchant = address(escrow);
        bytes memory failure = abi.encodeWithSelector(IPaymentEscrow.SinkParty.selector, address(escrow));
        refusedWithValue(payer, AMOUNT, authorizeCall(terms), failure);
        terms.merchant = merchant;
        terms.feeRecipient = address(escrow);
        refusedWithValue(payer, AMOUNT, authorizeCall(terms), failure);
        terms.feeRecipient = feeRecipient;
        terms.arbiter = operator;
        failure = abi.encodeWithSelector(IPaymentEscrow.ArbiterIsOperator.selector, operator);
        refusedWithValue(payer, AMOUNT, authorizeCall(terms), failure);
    }

    function test_coinWithoutAFeeNeedsNoFeeRecipient() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.token = address(0);
        terms.feeBps = 0;
        terms.feeRecipient = address(0);
        hasState(open(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_anotherTokenMayBePaid() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.merchant = address(usdt);
        terms.feeRecipient = address(token);
        hasState(open(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function test_oneAddressMayHaveSeveralRoles() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.merchant = operator;
        terms.feeRecipient = operator;
        terms.arbiter = payer;
        hasState(open(terms), IPaymentEscrow.Status.CAPTURED, AMOUNT);
    }

    function refusedOnEveryWay(IPaymentEscrow.PaymentTerms memory terms, bytes memory failure) private {
        bytes memory operatorSignature = signed(OPERATOR_KEY, terms);
        bytes memory payerSignature = signed(PAYER_KEY, terms);
        refused(terms.payer, authorizeCall(terms), failure);
        refused(
            stranger, abi.encodeCall(escrow.authorizeWithAllowance, (terms, operatorSignature, payerSignature)), failure
        );
        refused(
            stranger,
            abi.encodeCall(escrow.authorizeWithPermit, (terms, operatorSignature, payerSignature, START, 27, 0, 0)),
            failure
        );
        refused(stranger, receiveCall(terms), failure);
        IPaymentEscrow.RecurringConsent memory consent = consentFor(terms);
        IPaymentEscrow.PaymentTerms memory charged = chargeTerms(consent, 0);
        refused(stranger, chargeCall(consent, 0, charged), failure);
    }

    function receiveCall(IPaymentEscrow.PaymentTerms memory terms) private view returns (bytes memory) {
        return abi.encodeCall(
            escrow.authorizeWithReceive, (terms, signed(OPERATOR_KEY, terms), START + 1, sign(PAYER_KEY, "any"))
        );
    }
}
