// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Many calls of one escrow in one transaction
/// @notice Anybody makes calls that anybody may make, each with a gas cap of its own. A failed item never undoes the
///         others, and costs at most its cap.
/// @dev Not for authorizations by allowance or permit, captures, voids, refunds, disputes and claims: an item is one of
///      settle, reclaim, resolveByTimeout, charge, claimFor and authorizeFromDeposit, none of which asks who calls.
interface IPaymentBatch {
    /// @notice The outcome of an item; one byte of `outcomes`.
    /// @dev NOT_TRIED: too little gas was left to give the item its cap. It was not called, and nothing after it was.
    ///      DONE: the call returned. FAILED: it reverted or used up its cap. If somebody else executed
    ///      the item first, its call fails too: the escrow's state then shows that the item is done.
    enum Outcome {
        NOT_TRIED,
        DONE,
        FAILED
    }

    /// @notice One call of the escrow.
    /// @param gasCap gas that the call gets: all of it, or it is not tried
    /// @param data the call as it would be sent to the escrow itself: selector and arguments
    struct Item {
        uint64 gasCap;
        bytes data;
    }

    /// @notice The batch was executed.
    /// @param escrow the contract that was called
    /// @param outcomes one byte for each item, in their order, each the number of an Outcome
    event Executed(address indexed escrow, bytes outcomes);

    /// @notice The call has less gas than its gasFloor.
    /// @param gasLeft gas on entry
    /// @param required the caller's gasFloor
    error GasBelowFloor(uint256 gasLeft, uint256 required);
    /// @notice There is no code at the escrow's address, so every call would succeed without effect.
    /// @param escrow the address without code
    error NotAContract(address escrow);
    /// @notice An item is none of the calls that a batch makes. The whole batch is refused.
    /// @param index the item's place, from zero
    /// @param selector its first four bytes
    error FunctionNotAllowed(uint256 index, bytes4 selector);

    /// @notice Makes the items' calls in their order. It ends before the first item that cannot get its cap.
    /// @dev The gas floor is for whoever chooses the transaction's gas limit by estimation: a batch with too little gas
    ///      does not revert, and an estimate without a floor would be one with which nothing is tried.
    /// @param escrow the contract that is called; it is not trusted
    /// @param gasFloor least gas on entry, or the whole call reverts; zero for any
    /// @param items the calls, each one that anybody may make
    /// @return outcomes one byte for each item, each the number of an Outcome
    /// @return gasUsed for each item, by its call; zero for one that was not tried
    function execute(address escrow, uint256 gasFloor, Item[] calldata items)
        external
        returns (bytes memory outcomes, uint256[] memory gasUsed);
}
