// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IPaymentBatch} from "./IPaymentBatch.sol";
import {IPaymentEscrow} from "./IPaymentEscrow.sol";

/// @title A batch of calls, without state, owner or money
/// @notice Holds nothing and approves nothing, so that a contract that it calls can take nothing from it. It makes only
///         calls that anybody may make, so that a call through it carries no right that its caller lacks.
/// @dev No storage, no constructor arguments, no immutables, no delegatecall and no value, so that one deployment serves
///      every escrow on its chain, and its address is the same on every chain.
contract PaymentBatch is IPaymentBatch {
    /// @dev Gas kept for what comes after an item: its outcome, the next item's checks, the event and the answer.
    uint256 private constant FINISH_GAS = 8_000;
    uint256 private constant FINISH_GAS_PER_ITEM = 400;

    /// @inheritdoc IPaymentBatch
    function execute(address escrow, uint256 gasFloor, Item[] calldata items)
        external
        returns (bytes memory outcomes, uint256[] memory gasUsed)
    {
        if (gasleft() < gasFloor) revert GasBelowFloor(gasleft(), gasFloor);
        if (escrow.code.length == 0) revert NotAContract(escrow);
        uint256 count = items.length;
        uint256 finish = FINISH_GAS + FINISH_GAS_PER_ITEM * count;
        outcomes = new bytes(count);
        gasUsed = new uint256[](count);
        for (uint256 index = 0; index < count; index++) {
            bytes calldata data = items[index].data;
            uint256 gasCap = items[index].gasCap;
            if (!_isAllowed(bytes4(data))) revert FunctionNotAllowed(index, bytes4(data));
            // A call gets at most 63/64 of the gas there is. One gas for each byte pays for copying it.
            uint256 gasBefore = gasleft();
            if (gasBefore < gasCap + gasCap / 63 + data.length + finish) break;
            outcomes[index] = _call(escrow, gasCap, data) ? bytes1(uint8(Outcome.DONE)) : bytes1(uint8(Outcome.FAILED));
            gasUsed[index] = gasBefore - gasleft();
        }
        emit Executed(escrow, outcomes);
    }

    /// @dev Only functions that anybody may call: whoever trusts this contract as a caller would trust everybody.
    function _isAllowed(bytes4 selector) private pure returns (bool) {
        return selector == IPaymentEscrow.charge.selector || selector == IPaymentEscrow.settle.selector
            || selector == IPaymentEscrow.reclaim.selector || selector == IPaymentEscrow.resolveByTimeout.selector
            || selector == IPaymentEscrow.claimFor.selector || selector == IPaymentEscrow.authorizeFromDeposit.selector;
    }

    /// @dev Each item's data is copied over the last one's. Copies none of what the call returns.
    function _call(address escrow, uint256 gasCap, bytes calldata data) private returns (bool done) {
        assembly ("memory-safe") {
            let pointer := mload(0x40)
            calldatacopy(pointer, data.offset, data.length)
            done := call(gasCap, escrow, 0, pointer, data.length, 0, 0)
        }
    }
}
