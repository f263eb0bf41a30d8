mod all;
mod distance;
mod exact;
mod law;
mod planner;
mod session;
