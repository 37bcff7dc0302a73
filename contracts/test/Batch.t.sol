// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentBatch} from "../IPaymentBatch.sol";
import {IPaymentEscrow} from "../IPaymentEscrow.sol";
import {PaymentBatch} from "../PaymentBatch.sol";
import {Base} from "./Base.sol";
import {BurningAccount, HostileCallee, PlainLoop, RecordingCallee} from "./BatchCallees.sol";

/// @notice Many calls of the escrow at once: what each may cost, and what becomes of the others.
contract BatchTest is Base {
    /// @dev More than any call of these tests uses with a test token.
    uint64 private constant CHARGE_CAP = 250_000;
    uint64 private constant SETTLE_CAP = 400_000;
    uint256 private constant MANY = 100;
    /// @dev What a batch may use around its items: the outcomes, the event, the answer, and 400 for each item.
    uint256 private constant AROUND = 20_000;

    PaymentBatch private batch;

    function setUp() public override {
        super.setUp();
        batch = new PaymentBatch();
        bytes memory code = vm.envOr("BATCH_RUNTIME_CODE", bytes(""));
        if (code.length != 0) vm.etch(address(batch), code);
    }

    // The calls that a batch makes.

    function test_theSixFunctionsAndWhatTheyAreToldReachTheEscrow() public {
        RecordingCallee callee = new RecordingCallee();
        bytes[] memory calls = allowedCalls();
        for (uint256 i = 0; i < calls.length; i++) {
            bytes memory outcomes = execute(address(callee), items(calls[i], 200_000));
            eq(uint8(outcomes[0]), uint8(IPaymentBatch.Outcome.DONE), "outcome");
            eq(callee.dataHash(), keccak256(calls[i]), "data");
            eq(uint160(callee.caller()), uint160(address(batch)), "caller");
            eq(callee.value(), 0, "value");
        }
        eq(callee.calls(), calls.length, "calls");
    }

    function test_noOtherFunctionOfTheEscrowIsCalled() public {
        RecordingCallee callee = new RecordingCallee();
        bytes4[15] memory others = [
            IPaymentEscrow.authorize.selector,
            IPaymentEscrow.authorizeWithPermit.selector,
            IPaymentEscrow.authorizeWithAllowance.selector,
            IPaymentEscrow.authorizeWithReceive.selector,
            IPaymentEscrow.capture.selector,
            IPaymentEscrow.void.selector,
            IPaymentEscrow.refund.selector,
            IPaymentEscrow.dispute.selector,
            IPaymentEscrow.disputeWithSignature.selector,
            IPaymentEscrow.resolve.selector,
            IPaymentEscrow.concede.selector,
            IPaymentEscrow.revoke.selector,
            IPaymentEscrow.claim.selector,
            IPaymentEscrow.returnDeposit.selector,
            IPaymentEscrow.stateOf.selector
        ];
        for (uint256 i = 0; i < others.length; i++) {
            refusesSelector(callee, others[i]);
        }
    }

    function testFuzz_noOtherSelectorIsCalled(bytes4 selector) public {
        bytes[] memory calls = allowedCalls();
        for (uint256 i = 0; i < calls.length; i++) {
            if (bytes4(calls[i]) == selector) return;
        }
        refusesSelector(new RecordingCallee(), selector);
    }

    function test_aCallWithoutASelectorIsRefused() public {
        IPaymentBatch.Item[] memory list = items("", 50_000);
        refusesBatch(
            address(escrow), 0, list, abi.encodeWithSelector(IPaymentBatch.FunctionNotAllowed.selector, 0, bytes4(0))
        );
    }

    function test_whoHoldsNoCodeIsNotCalled() public {
        IPaymentBatch.Item[] memory list = items(allowedCalls()[0], 50_000);
        address[3] memory places = [address(0), stranger, address(1)];
        for (uint256 i = 0; i < places.length; i++) {
            refusesBatch(
                places[i], 0, list, abi.encodeWithSelector(IPaymentBatch.NotAContract.selector, places[i])
            );
        }
    }

    function test_itTakesNoCoin() public {
        bytes memory call = abi.encodeCall(batch.execute, (address(escrow), 0, new IPaymentBatch.Item[](0)));
        (bool ok,) = address(batch).call{value: 1}(call);
        require(!ok, "took coin with a batch");
        (ok,) = address(batch).call{value: 1}("");
        require(!ok, "took coin");
    }

    function test_anEmptyBatchDoesNothing() public {
        expectEvent();
        emit IPaymentBatch.Executed(address(escrow), "");
        eq(execute(address(escrow), new IPaymentBatch.Item[](0)).length, 0, "outcomes");
    }

    // With the escrow itself.

    function test_aFailedItemLeavesTheOthersDone() public {
        IPaymentEscrow.PaymentTerms memory settled = newTerms();
        IPaymentEscrow.PaymentTerms memory disputed = newTerms();
        IPaymentEscrow.PaymentTerms memory held = newHold();
        open(settled);
        open(disputed);
        open(held);
        done(payer, abi.encodeCall(escrow.dispute, (disputed)));
        vm.warp(START + 40 days);
        IPaymentBatch.Item[] memory list = new IPaymentBatch.Item[](4);
        list[0] = IPaymentBatch.Item(SETTLE_CAP, abi.encodeCall(escrow.settle, (disputed)));
        list[1] = IPaymentBatch.Item(SETTLE_CAP, abi.encodeCall(escrow.settle, (settled)));
        list[2] = IPaymentBatch.Item(SETTLE_CAP, abi.encodeCall(escrow.reclaim, (held)));
        list[3] = IPaymentBatch.Item(SETTLE_CAP, abi.encodeCall(escrow.resolveByTimeout, (disputed)));
        expectEvent();
        emit IPaymentBatch.Executed(address(escrow), hex"02010101");
        eq(keccak256(execute(address(escrow), list)), keccak256(hex"02010101"), "outcomes");
        hasState(escrow.idOf(settled), IPaymentEscrow.Status.SETTLED, 0);
        hasState(escrow.idOf(held), IPaymentEscrow.Status.RECLAIMED, 0);
        hasState(escrow.idOf(disputed), IPaymentEscrow.Status.RESOLVED, 0);
        eq(usdc.balanceOf(address(escrow)), 0, "escrow");
        eq(usdc.balanceOf(address(batch)), 0, "batch");
    }

    function test_whatAStrangerExecutedFirstFailsAndIsWhereItLeads() public {
        IPaymentEscrow.PaymentTerms memory first = newTerms();
        IPaymentEscrow.PaymentTerms memory second = newTerms();
        bytes32 id = open(first);
        open(second);
        vm.warp(START + 7 days);
        done(stranger, abi.encodeCall(escrow.settle, (first)));
        IPaymentBatch.Item[] memory list = new IPaymentBatch.Item[](2);
        list[0] = IPaymentBatch.Item(SETTLE_CAP, abi.encodeCall(escrow.settle, (first)));
        list[1] = IPaymentBatch.Item(SETTLE_CAP, abi.encodeCall(escrow.settle, (second)));
        eq(keccak256(execute(address(escrow), list)), keccak256(hex"0201"), "outcomes");
        hasState(id, IPaymentEscrow.Status.SETTLED, 0);
    }

    function test_aCapBelowTheFloorStarvesNobody() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        bytes32 id = open(terms);
        vm.warp(START + 7 days);
        bytes memory call = abi.encodeCall(escrow.settle, (terms));
        for (uint64 gasCap = 20_000; gasCap < 280_000; gasCap += 10_000) {
            bytes memory outcomes = execute(address(escrow), items(call, gasCap));
            eq(uint8(outcomes[0]), uint8(IPaymentBatch.Outcome.FAILED), "outcome");
            hasState(id, IPaymentEscrow.Status.CAPTURED, AMOUNT);
        }
        execute(address(escrow), items(call, SETTLE_CAP));
        hasState(id, IPaymentEscrow.Status.SETTLED, 0);
        eq(escrow.creditOf(merchant, address(usdc)), 0, "credit");
    }

    function test_creditsArePaidToTheirRecipients() public {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        open(terms);
        vm.warp(START + 7 days);
        usdc.blacklist(merchant);
        done(stranger, abi.encodeCall(escrow.settle, (terms)));
        usdc.unBlacklist(merchant);
        bytes memory call = abi.encodeWithSignature("claimFor(address,address)", merchant, address(usdc));
        bytes memory outcomes = execute(address(escrow), items(call, SETTLE_CAP));
        eq(uint8(outcomes[0]), uint8(IPaymentBatch.Outcome.DONE), "outcome");
        eq(usdc.balanceOf(merchant), AMOUNT - feeOf(AMOUNT), "merchant");
    }

    function test_ofAHundredChargesOneThatBurnsItsGasStopsNoOther() public {
        BurningAccount burner = new BurningAccount();
        (IPaymentBatch.Item[] memory list, bytes32[] memory ids) = manyCharges(address(burner));
        burner.burnFromNowOn();
        // All that the batch gets: what 99 charges use (under 130,000 each, however the tests are compiled), the burner's
        // cap, and a cap to be had last.
        uint256 gasLimit = (MANY - 1) * 130_000 + CHARGE_CAP + CHARGE_CAP + AROUND + MANY * 400;
        vm.prank(stranger);
        (bytes memory outcomes, uint256[] memory gasUsed) =
            batch.execute{gas: gasLimit}(address(escrow), gasLimit - 10_000, list);
        for (uint256 i = 0; i < MANY; i++) {
            bool burns = i == MANY / 2;
            eq(uint8(outcomes[i]), uint8(burns ? IPaymentBatch.Outcome.FAILED : IPaymentBatch.Outcome.DONE), "outcome");
            hasState(
                ids[i], burns ? IPaymentEscrow.Status.NONE : IPaymentEscrow.Status.CAPTURED, burns ? 0 : AMOUNT
            );
            if (burns) require(gasUsed[i] > CHARGE_CAP * 9 / 10, "the burner burned nothing");
            require(gasUsed[i] < CHARGE_CAP + 5_000, "more than the cap");
        }
        eq(usdc.balanceOf(address(escrow)), (MANY - 1) * AMOUNT, "collected");
    }

    /// @dev What a batch is for: the same calls without caps.
    function test_inAPlainLoopTheOneRevertsAll() public {
        BurningAccount burner = new BurningAccount();
        (IPaymentBatch.Item[] memory list, bytes32[] memory ids) = manyCharges(address(burner));
        burner.burnFromNowOn();
        PlainLoop loop = new PlainLoop();
        (bool ok,) = address(loop).call{gas: 30_000_000}(abi.encodeCall(loop.execute, (address(escrow), list)));
        require(!ok, "the loop succeeded");
        hasState(ids[0], IPaymentEscrow.Status.NONE, 0);
    }

    // Gas.

    function test_theGasFloorIsLookedAtFirst() public {
        RecordingCallee callee = new RecordingCallee();
        bytes memory call = abi.encodeCall(batch.execute, (address(callee), 500_000, items(allowedCalls()[0], 200_000)));
        (bool ok, bytes memory answer) = address(batch).call{gas: 499_000}(call);
        require(!ok && bytes4(answer) == IPaymentBatch.GasBelowFloor.selector, "not below the floor");
        (uint256 gasLeft, uint256 required) = twoWords(answer);
        require(gasLeft < 499_000 && gasLeft > 490_000, "gas left");
        eq(required, 500_000, "required");
        eq(callee.calls(), 0, "calls");
        (ok,) = address(batch).call{gas: 510_000}(call);
        require(ok, "above the floor");
        eq(callee.calls(), 1, "calls");
    }

    function test_whatCannotGetItsCapIsNotTriedNorIsWhatComesAfter() public {
        RecordingCallee callee = new RecordingCallee();
        IPaymentBatch.Item[] memory list = new IPaymentBatch.Item[](4);
        for (uint256 i = 0; i < 4; i++) {
            list[i] = IPaymentBatch.Item(i == 2 ? 1_000_000 : 200_000, allowedCalls()[0]);
        }
        (bytes memory outcomes, uint256[] memory gasUsed) = batch.execute{gas: 900_000}(address(callee), 0, list);
        eq(keccak256(outcomes), keccak256(hex"01010000"), "outcomes");
        eq(callee.calls(), 2, "calls");
        require(gasUsed[1] > 0, "gas used");
        eq(gasUsed[2] + gasUsed[3], 0, "gas used by what was not tried");
    }

    function test_aCapOfAnySizeIsNoOverflow() public {
        IPaymentBatch.Item[] memory list = items(allowedCalls()[0], type(uint64).max);
        eq(keccak256(execute(address(new RecordingCallee()), list)), keccak256(hex"00"), "outcomes");
    }

    /// @dev Whatever gas it is given, a batch of burners returns once it has begun, and gives each its whole cap.
    function testFuzz_eachItemGetsItsCapAndTheBatchAlwaysReturns(uint256 seed, uint256 gasGiven) public {
        HostileCallee callee = new HostileCallee();
        callee.behave(HostileCallee.Behaviour.BURN);
        uint256 count = bound(seed, 1, 12);
        IPaymentBatch.Item[] memory list = new IPaymentBatch.Item[](count);
        uint256 caps;
        for (uint256 i = 0; i < count; i++) {
            seed = uint256(keccak256(abi.encode(seed)));
            list[i].gasCap = uint64(bound(seed, 1_000, 400_000));
            list[i].data = bytes.concat(allowedCalls()[0], new bytes(bound(seed >> 128, 0, 6_000)));
            caps += list[i].gasCap;
        }
        gasGiven = bound(gasGiven, 60_000, 150_000 + caps * 2);
        (bytes memory outcomes, uint256[] memory gasUsed) = batch.execute{gas: gasGiven}(address(callee), 0, list);
        for (uint256 i = 0; i < count; i++) {
            if (outcomes[i] == bytes1(0)) {
                eq(gasUsed[i], 0, "gas used");
                if (i + 1 < count) eq(uint8(outcomes[i + 1]), 0, "tried after one that was not");
            } else {
                eq(uint8(outcomes[i]), uint8(IPaymentBatch.Outcome.FAILED), "outcome");
                require(gasUsed[i] >= list[i].gasCap, "less than its cap");
                require(gasUsed[i] < list[i].gasCap + 7_000, "more than its cap");
            }
        }
        if (gasGiven > 120_000 + caps * 65 / 64) require(outcomes[count - 1] != bytes1(0), "not all were tried");
    }

    /// @dev The first item burns its cap; with each gas, just enough for one of them included, the rest is reported.
    function test_aLongBatchThatBeganReturns() public {
        HostileCallee callee = new HostileCallee();
        callee.behave(HostileCallee.Behaviour.BURN);
        IPaymentBatch.Item[] memory list = new IPaymentBatch.Item[](300);
        for (uint256 i = 0; i < list.length; i++) {
            list[i] = IPaymentBatch.Item(50_000, allowedCalls()[4]);
        }
        uint256 tried;
        for (uint256 gasGiven = 120_000; gasGiven < 300_000; gasGiven += 499) {
            (bytes memory outcomes,) = batch.execute{gas: gasGiven}(address(callee), 0, list);
            eq(outcomes.length, list.length, "outcomes");
            if (outcomes[0] != bytes1(0)) tried++;
        }
        require(tried > 100 && tried < 360, "the edge was not among them");
    }

    /// @dev At the first gas with which the one item is tried, it has all of its cap, however long its data is.
    function test_theCapIsWholeAtTheEdge() public {
        uint256[3] memory lengths = [uint256(4), 544, 100_000];
        for (uint256 i = 0; i < lengths.length; i++) {
            RecordingCallee callee = new RecordingCallee();
            IPaymentBatch.Item[] memory list =
                items(bytes.concat(bytes4(allowedCalls()[0]), new bytes(lengths[i])), 2_000_000);
            uint256 low = 500_000;
            uint256 high = 8_000_000;
            while (high - low > 1) {
                uint256 middle = (low + high) / 2;
                if (triesAll(address(callee), list, middle)) high = middle;
                else low = middle;
            }
            require(callee.calls() > 0, "never called");
            require(callee.leastGas() > 2_000_000 - 1_000, "less than the cap");
        }
    }

    // A callee that means harm.

    function test_returnDataOfAnySizeCostsNoMoreThanTheCap() public {
        HostileCallee callee = new HostileCallee();
        HostileCallee.Behaviour[2] memory bombs =
            [HostileCallee.Behaviour.RETURN_MEGABYTE, HostileCallee.Behaviour.REVERT_MEGABYTE];
        for (uint256 i = 0; i < 2; i++) {
            callee.behave(bombs[i]);
            IPaymentBatch.Item[] memory list = items(allowedCalls()[0], 3_000_000);
            uint256 gasBefore = gasleft();
            bytes memory outcomes = execute(address(callee), list);
            require(gasBefore - gasleft() < 3_000_000 + AROUND, "more than its cap");
            eq(uint8(outcomes[0]), i == 0 ? 1 : 2, "outcome");
        }
    }

    function test_reEntryMovesNothing() public {
        HostileCallee callee = new HostileCallee();
        callee.behave(HostileCallee.Behaviour.RE_ENTER);
        IPaymentBatch.Item[] memory list = items(allowedCalls()[0], 1_000_000);
        callee.setAnswer(
            address(batch), abi.encodeCall(batch.execute, (address(callee), 0, items(allowedCalls()[0], 50_000)))
        );
        bytes memory outcomes = execute(address(callee), list);
        eq(uint8(outcomes[0]), uint8(IPaymentBatch.Outcome.DONE), "outcome");
        eq(uint160(callee.lastCaller()), uint160(address(batch)), "caller");
        eq(callee.entries(), 2, "entries");
    }

    // What the tests above are made of.

    function items(bytes memory data, uint64 gasCap) private pure returns (IPaymentBatch.Item[] memory list) {
        list = new IPaymentBatch.Item[](1);
        list[0] = IPaymentBatch.Item(gasCap, data);
    }

    function execute(address target, IPaymentBatch.Item[] memory list) private returns (bytes memory outcomes) {
        (outcomes,) = batch.execute(target, 0, list);
        eq(outcomes.length, list.length, "outcomes");
    }

    /// @dev Of a batch of one item; a batch that cannot even begin has not tried it.
    function triesAll(address target, IPaymentBatch.Item[] memory list, uint256 gasGiven) private returns (bool) {
        bytes memory call = abi.encodeCall(batch.execute, (target, 0, list));
        (bool ok, bytes memory answer) = address(batch).call{gas: gasGiven}(call);
        if (!ok) return false;
        (bytes memory outcomes,) = abi.decode(answer, (bytes, uint256[]));
        return outcomes[0] != bytes1(0);
    }

    function refusesBatch(address target, uint256 gasFloor, IPaymentBatch.Item[] memory list, bytes memory failure)
        private
    {
        (bool ok, bytes memory answer) = address(batch).call(abi.encodeCall(batch.execute, (target, gasFloor, list)));
        require(!ok, "expected a revert");
        eq(keccak256(answer), keccak256(failure), "failure");
    }

    function refusesSelector(RecordingCallee callee, bytes4 selector) private {
        IPaymentBatch.Item[] memory list = new IPaymentBatch.Item[](2);
        list[0] = IPaymentBatch.Item(50_000, allowedCalls()[0]);
        list[1] = IPaymentBatch.Item(50_000, abi.encodePacked(selector, uint256(7)));
        refusesBatch(
            address(callee), 0, list, abi.encodeWithSelector(IPaymentBatch.FunctionNotAllowed.selector, 1, selector)
        );
        eq(callee.calls(), 0, "calls");
    }

    /// @dev By their signatures in words, so that no interface decides what they are.
    function allowedCalls() private view returns (bytes[] memory calls) {
        string memory t =
            "(bytes32,address,address,address,uint128,uint40,uint40,uint32,uint32,uint32,uint16,uint16,address,address,address,bytes32,bool)";
        string memory c =
            "(bytes32,address,address,address,uint128,uint40,uint8,uint32,uint40,uint16,address,address,address,uint32,uint32,uint32,uint16)";
        calls = new bytes[](6);
        calls[0] = abi.encodeWithSignature(string.concat("settle(", t, ")"), merchant, 1);
        calls[1] = abi.encodeWithSignature(string.concat("reclaim(", t, ")"), merchant, 2);
        calls[2] = abi.encodeWithSignature(string.concat("resolveByTimeout(", t, ")"), merchant, 3);
        calls[3] = abi.encodeWithSignature(string.concat("charge(", c, ",uint32,", t, ",bytes,bytes)"), merchant, 4);
        calls[4] = abi.encodeWithSignature("claimFor(address,address)", merchant, address(0));
        calls[5] = abi.encodeWithSignature(string.concat("authorizeFromDeposit(", t, ",bytes)"), merchant, "a longer one");
    }

    function twoWords(bytes memory answer) private pure returns (uint256 first, uint256 second) {
        assembly {
            first := mload(add(answer, 0x24))
            second := mload(add(answer, 0x44))
        }
    }

    /// @dev A hundred subscribers with keys of their own; the one in the middle is the contract.
    function manyCharges(address contractPayer)
        private
        returns (IPaymentBatch.Item[] memory list, bytes32[] memory ids)
    {
        list = new IPaymentBatch.Item[](MANY);
        ids = new bytes32[](MANY);
        for (uint256 i = 0; i < MANY; i++) {
            bool isContract = i == MANY / 2;
            address account = isContract ? contractPayer : vm.addr(i + 1_000);
            usdc.mint(account, AMOUNT);
            vm.prank(account);
            usdc.approve(address(escrow), AMOUNT);
            (ids[i], list[i].data) = chargeOf(account, isContract ? PAYER_KEY : i + 1_000);
            list[i].gasCap = CHARGE_CAP;
        }
    }

    function chargeOf(address account, uint256 key) private returns (bytes32 id, bytes memory call) {
        IPaymentEscrow.PaymentTerms memory terms = newTerms();
        terms.payer = account;
        IPaymentEscrow.RecurringConsent memory consent = consentOf(terms);
        bytes32 consentId = escrow.consentIdOf(consent);
        terms.intentId = escrow.chargeIntentId(consentId, 0);
        id = escrow.idOf(terms);
        bytes32 typeHash = keccak256("Charge(bytes32 consentId,uint32 period,bytes32 id)");
        bytes memory operatorSignature =
            sign(OPERATOR_KEY, digestOf(keccak256(abi.encode(typeHash, consentId, uint32(0), id))));
        call = abi.encodeCall(
            escrow.charge, (consent, 0, terms, operatorSignature, sign(key, digestOf(consentId)))
        );
    }

    function consentOf(IPaymentEscrow.PaymentTerms memory terms)
        private
        pure
        returns (IPaymentEscrow.RecurringConsent memory consent)
    {
        consent.subscriptionId = terms.intentId;
        consent.payer = terms.payer;
        consent.merchant = terms.merchant;
        consent.token = terms.token;
        consent.capPerPeriod = terms.amount;
        consent.start = uint40(START);
        consent.count = 1_000;
        consent.feeBps = terms.feeBps;
        consent.feeRecipient = terms.feeRecipient;
        consent.operator = terms.operator;
        consent.arbiter = terms.arbiter;
        consent.timelock = terms.timelock;
        consent.disputeWindow = terms.disputeWindow;
        consent.disputeTimeout = terms.disputeTimeout;
        consent.timeoutPayerBps = terms.timeoutPayerBps;
    }
}
